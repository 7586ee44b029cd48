"""The texts of emails about what happened: a subject, plain text, and HTML that says the same.

The phrases are macros, in `templates/LANGUAGE/notifications.txt`; `templates/parts` puts them in
order. What people wrote is a value: in HTML it is escaped, in a subject it is one line.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from ..text.languages import is_right_to_left
from ..text.messages import isolated

_MOST_SUBJECT = 200
_MOST_TEXT = 600
"""Characters that are shown of a title, and of a post."""
_MOST_LINES = 20
_OUTSIDE = re.compile(r">[^<]+")
"""What stands outside of tags."""
_LONG = re.compile(r"(?:&#?\w+;|[^\s&>]){20}(?=[!-~]|\w)")
"""A part of a word behind which a line may break: not between a letter and its marks."""


class Entry(NamedTuple):
    """One thing that happened. about: a `MailTopic`; text: of the post, or the reason; link: where
    it leads, empty for nowhere; words, title: of what moderators did, and to what.
    """

    about: str
    actor: str
    text: str
    link: str
    words: str = ""
    title: str = ""


class Rendered(NamedTuple):
    """What an email says."""

    subject: str
    text: str
    html: str


def render(
    phrases: str,
    language: str,
    entries: Sequence[Entry],
    *,
    names: Mapping[str, str],
    links: Mapping[str, str],
    topics: Sequence[Entry] = (),
    **others: Any,
) -> Rendered:
    """Return what an email says. phrases: the name of a template.

    language: one of `text.languages.LANGUAGES`; names: what people wrote, of one line; links:
    addresses, which have nothing around them that would change places with them; topics: further
    entries, of new topics.
    """
    is_isolated = is_right_to_left(language)

    def line(text: str) -> str:
        text = _shortened(" ".join(_printable(text).split()), _MOST_SUBJECT)
        return isolated(text) if is_isolated and text else text

    def shown(entry: Entry) -> Entry:
        text = _shortened(_printable(entry.text), _MOST_TEXT)
        return entry._replace(actor=line(entry.actor), title=line(entry.title), text=text)

    values = {
        "entries": [shown(entry) for entry in entries],
        "topics": [shown(entry) for entry in topics],
        **{name: line(text) for name, text in names.items()},
        **links,
        **others,
        "language": language,
        "direction": "rtl" if is_isolated else "ltr",
    }
    # What a language has no phrases of is in English.
    found = _plain().select_template([f"{one}/{phrases}.txt" for one in (language, "en")])
    values["phrases"] = found
    subject = found.make_module(values).subject()  # type: ignore[attr-defined]
    text = _plain().get_template(f"parts/{phrases}.text.txt").render(values)
    values["phrases"] = _html().get_template(str(found.name))
    html = _html().get_template(f"parts/{phrases}.html.txt").render(values)
    return Rendered(" ".join(subject.split()), text.lstrip("\n"), _breakable(html.lstrip("\n")))


def _printable(text: str) -> str:
    """Return a text without control characters, beside line ends."""
    kept = (letter for letter in text if letter == "\n" or letter.isprintable())
    return "".join(kept)


def _shortened(text: str, most: int) -> str:
    lines = text.strip().split("\n")
    cut = "\n".join(lines[:_MOST_LINES])
    is_whole = len(lines) <= _MOST_LINES and len(cut) <= most
    return cut if is_whole else f"{cut[:most].rstrip()} …"


def _breakable(html: str) -> str:
    """Return HTML in whose long words lines may break where a program knows no `overflow-wrap`."""
    head, body, rest = html.partition("<body")
    return head + body + _OUTSIDE.sub(lambda text: _LONG.sub(r"\g<0><wbr>", text[0]), rest)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


@cache
def _plain() -> Environment:
    return _environment(is_html=False)


@cache
def _html() -> Environment:
    return _environment(is_html=True)


def _environment(*, is_html: bool) -> Environment:
    loader = PackageLoader("forumsvc.mail")
    environment = Environment(
        loader=loader,
        undefined=StrictUndefined,
        autoescape=is_html,  # noqa: S701 - plain text has nothing to escape
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["quoted"] = _quoted
    return environment
