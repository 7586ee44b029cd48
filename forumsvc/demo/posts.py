"""What the demo community consists of: the files of `data/`.

`data/community.toml` has the nodes and the members, and says how both are written. The posts of a
node are in a Markdown file, topic by topic:

    === A title
    mira, 3d, 4 likes, excellent

    The text of the topic.

    --- ben, 20m, 2 likes
    A reply of Ben's.

After the author comes about how long ago, before the loading, a topic was written, and how long
after the post above it a reply: in minutes, hours or days (`20m`, `1.5h`, `3d`). Then come marks:
`4 likes`; `deleted`; `reported spam` (a category of reports); `edited`, for one whose last
paragraph its author added later; of a topic `excellent`, `closed`, `banned` and `moved Help`, for
one that began in the node Help.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files
from random import Random
from typing import Any

LANGUAGES = ("mixed", "en", "zh")
"""Whose posts to load: those of all languages, or of one."""

_SECONDS = {"m": 60, "h": 3_600, "d": 86_400}
_TOPIC, _REPLY = re.compile(r"^=== ", re.M), re.compile(r"^--- (?=\w)", re.M)


@dataclass(frozen=True)
class Post:
    """A topic, or a reply, which has no title.

    age: how long before the loading it was written; marks: as in the files, each with what follows
    it; thread: which posts belong together.
    """

    thread: tuple[str, int]
    node: str
    title: str
    author: str
    age: timedelta
    body: str
    likes: int
    marks: dict[str, str]

    @property
    def first_body(self) -> str:
        """The text before an edit."""
        return self.body.rpartition("\n\n")[0] if "edited" in self.marks else self.body


def community(language: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[Post]]:
    """Return the nodes and members as in `community.toml`, and the posts, the oldest first."""
    data = tomllib.loads(_read("community.toml"))
    nodes = [it for it in data["nodes"] if language in (LANGUAGES[0], it["file"].split("/")[0])]
    posts = [post for node in nodes for post in _posts(node["name"], _read(node.pop("file")))]
    return nodes, data["members"], sorted(posts, key=lambda post: post.age, reverse=True)


def _read(name: str) -> str:
    return (files(__package__) / "data" / name).read_text("utf-8")


def _posts(node: str, text: str) -> Iterator[Post]:
    for number, topic in enumerate(_TOPIC.split(text)[1:]):
        title, _, rest = topic.partition("\n")
        age = timedelta()
        for at, post in enumerate(_REPLY.split(rest)):
            head, _, body = post.partition("\n")
            author, time, *words = head.split(", ")
            passed = _duration(time, body)
            age = age - passed if at else passed
            marks = dict(word.partition(" ")[::2] for word in words)
            likes = next((int(mark) for mark in marks if mark.isdecimal()), 0)
            own_title = "" if at else title
            yield Post((node, number), node, own_title, author, age, body.strip(), likes, marks)


def _duration(text: str, seed: str) -> timedelta:
    """Return about this time: nobody writes at the full hour, every time."""
    seconds = float(text[:-1]) * _SECONDS[text[-1]] * Random(seed).uniform(0.9, 1.0)  # noqa: S311
    return timedelta(seconds=int(seconds))
