"""Python-Markdown, set up for a forum."""

from typing import Any

from markdown import Markdown
from pymdownx.emoji import gemoji, to_alt

from forumsvc.markup.sanitizer import ID_PREFIX
from forumsvc.markup.syntax.code import format_code
from forumsvc.markup.syntax.logins import LoginsExtension

_ANY_LANGUAGE = {"name": "*", "class": "", "format": format_code}

_EXTENSIONS: dict[str, dict[str, Any]] = {
    "nl2br": {},
    "sane_lists": {},
    "tables": {"use_align_attribute": True},
    "toc": {"marker": "", "slugify": lambda text, separator: slug(text, separator)},
    "pymdownx.betterem": {},
    "pymdownx.emoji": {"emoji_index": gemoji, "emoji_generator": to_alt, "options": {}},
    "pymdownx.highlight": {"use_pygments": False},
    "pymdownx.magiclink": {},
    "pymdownx.saneheaders": {},
    "pymdownx.superfences": {"custom_fences": [_ANY_LANGUAGE]},
    "pymdownx.tasklist": {},
    "pymdownx.tilde": {"subscript": False},
}


def slug(text: str, separator: str) -> str:
    """Return a heading's id: its words in lower case, whatever their script."""
    words = "".join(char if char.isalnum() else " " for char in text.lower()).split()
    return ID_PREFIX + (separator.join(words) or "heading")


class MarkdownParser:
    """Turns Markdown into HTML that is not safe yet."""

    def __init__(self) -> None:
        self._markdown = Markdown(
            extensions=[*_EXTENSIONS, LoginsExtension()],
            extension_configs=_EXTENSIONS,
            output_format="html",
        )

    def convert(self, text: str) -> str:
        """Return the HTML of a Markdown text. Raises what Python-Markdown raises."""
        return self._markdown.reset().convert(text.replace("\0", "\ufffd"))
