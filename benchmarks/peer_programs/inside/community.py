"""The community of forumsvc as a file, which the scripts here read.

A post is made of pieces, paragraph by paragraph, of which there are few hundred: a script renders
each of them once and joins the HTML.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

GAP = "\n\n"


@dataclass
class Post:
    """The text of a topic, or a reply.

    number: its place in the order of time over all of them, from 1; topic: its topic's number, from
    1; author: the place of its author's name; place: in its topic, 0 for the text of the topic.
    """

    number: int
    topic: int
    author: int
    at: datetime
    pieces: Sequence[int]
    own: str
    place: int


@dataclass
class Topic:
    """A topic. slug: of its title, in ASCII."""

    number: int
    title: str
    author: int
    posts: list[Post]

    @property
    def first(self) -> Post:
        """The post with its text."""
        return self.posts[0]

    @property
    def last(self) -> Post:
        """Its newest post."""
        return self.posts[-1]


class Community:
    """All of it, read from the file.

    names: of the members; read, written: the numbers of the topics that are read and replied to.
    """

    def __init__(self, path: Path) -> None:
        found = json.loads(path.read_text("utf-8"))
        self.password: str = found["password"]
        self.names: list[str] = found["names"]
        self.pieces: list[str] = found["pieces"]
        self.read: list[int] = found["read"]
        self.written: list[int] = found["written"]
        self.topics = [
            Topic(number, title, author, [])
            for number, (title, author) in enumerate(found["topics"], 1)
        ]
        self.posts: list[Post] = []
        for number, (topic, author, seconds, pieces, own) in enumerate(found["posts"], 1):
            posts = self.topics[topic - 1].posts
            at = datetime.fromtimestamp(seconds, UTC)
            posts.append(Post(number, topic, author, at, pieces, own, len(posts)))
            self.posts.append(posts[-1])

    def text(self, post: Post) -> str:
        """Return the Markdown of a post."""
        return GAP.join([*(self.pieces[one] for one in post.pieces), post.own]).strip()

    def renderer(self, render: Callable[[str], str]) -> Callable[[Post], str]:
        """Return a function that renders a post by what `render` makes of each piece, once."""
        rendered: dict[int, str] = {}

        def html(post: Post) -> str:
            for piece in post.pieces:
                if piece not in rendered:
                    rendered[piece] = render(self.pieces[piece])
            own = [f"<p>{post.own}</p>"] if post.own else []
            return "\n".join([*(rendered[piece] for piece in post.pieces), *own])

        return html

    def posts_by(self, author: int) -> int:
        """Return how many posts somebody wrote."""
        return self._counts().get(author, (0, 0))[0]

    def topics_by(self, author: int) -> int:
        """Return how many topics somebody began."""
        return self._counts().get(author, (0, 0))[1]

    def _counts(self) -> dict[int, tuple[int, int]]:
        if not hasattr(self, "_counted"):
            self._counted: dict[int, tuple[int, int]] = {}
            for post in self.posts:
                posts, topics = self._counted.get(post.author, (0, 0))
                self._counted[post.author] = posts + 1, topics + (post.place == 0)
        return self._counted


def report(**found: Any) -> None:
    """Print what a script tells to the benchmark, as its last line."""
    print(json.dumps(found))
