"""The languages of the demo: what is in the files of `data/`."""

import random
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from .grammar import Words
from .vocabulary import Vocabulary

LANGUAGES = ("en", "zh", "ja", "ko", "mixed")
"""What `load` accepts: languages by their ISO 639 codes, and `mixed` for all of them."""


@dataclass(frozen=True)
class Talk:
    """The templates of one kind of talk: a topic is an opening, some blocks and an ending."""

    openings: tuple[str, ...]
    blocks: tuple[str, ...]
    endings: tuple[str, ...]
    replies: tuple[str, ...]


@dataclass(frozen=True)
class Language:
    """The texts of one language; `data/en.toml` explains them.

    joiner: what stands between two sentences; paragraph_lengths: the numbers of sentences of a
    paragraph of a large community; people: names and profiles; words: of all slots that do not
    depend on the node.
    """

    joiner: str
    paragraph_lengths: tuple[int, ...]
    asides: tuple[str, ...]
    sentences: tuple[str, ...]
    people: dict[str, Any]
    words: Words


@dataclass(frozen=True)
class Theme:
    """A node and its talk.

    name, section, summary (Markdown): as the API shows them; weight: its share of the topics,
    against the sum of all; titles, talk: the templates that fit; subjects: what topics are about;
    words: of all slots but `subject`.
    """

    name: str
    section: str
    summary: str
    weight: int
    titles: tuple[str, ...]
    talk: Talk
    subjects: tuple[str, ...]
    words: Words
    language: Language

    def words_about(self, rng: random.Random, subject: str | None) -> Words:
        """Return the words for a text about a subject of the node, or about a random one."""
        return {**self.words, "subject": (subject or rng.choice(self.subjects),)}


def themes(language: str) -> tuple[Theme, ...]:
    """Return the nodes of one of `LANGUAGES`, the first shown first."""
    names = LANGUAGES[:-1] if language == LANGUAGES[-1] else (language,)
    return tuple(theme for name in names for theme in _themes(name))


@cache
def _themes(name: str) -> tuple[Theme, ...]:
    data, code = _read(name), _read("code")
    vocabulary = Vocabulary(**data["vocabulary"])
    language = Language(
        data["joiner"],
        tuple(data["paragraph_lengths"]),
        tuple(data["asides"]),
        tuple(data["sentences"]),
        data["people"],
        {**code["words"], **data["words"], "term": vocabulary.draw},
    )
    found = []
    for node in data["nodes"]:
        kind, programs = node.pop("kind"), node.pop("code")
        own = {
            "tool": node.pop("tools"),
            "code": [f"```{programs}\n{shape}\n```" for shape in code["snippets"][programs]],
        }
        subjects = tuple(node.pop("subjects"))
        talk = Talk(**{part: tuple(texts) for part, texts in data["talk"][kind].items()})
        found.append(
            Theme(
                **node,
                titles=tuple(data["titles"][kind]),
                talk=talk,
                subjects=subjects,
                words={**language.words, **own},
                language=language,
            )
        )
    return tuple(found)


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "data" / f"{name}.toml").read_text("utf-8"))
