"""Field types stricter than colander's: its Integer takes true and 5.7, its String takes NUL.

Values come as text (query, form) or as JSON has them.
"""

import json
from typing import Any, ClassVar
from urllib.parse import urlsplit

import colander

from ..db.cursors import LONGEST, Cursor
from ..ids import MAX_ID, parse_whole
from ..text_rules import body_error, escape, line_error, lines_error

_SHOWN = 40
_JSON = json.JSONEncoder(ensure_ascii=False)


def show(value: Any) -> str:
    """Return a value as it may stand in an error message: readable, quoted, 40 characters at most.

    A JSON value is shown as JSON. What cannot be printed (control characters, lone surrogates,
    bidirectional controls) is shown by its number, as Python writes it.
    """
    if _is_file(value):
        return "a file"
    text = value if isinstance(value, str) else _json(value)
    shown = ""
    for character in text:
        piece = escape(character)
        if len(shown) + len(piece) > _SHOWN:
            return f"'{shown}…'"
        shown += piece
    return f"'{shown}'"


def _json(value: Any) -> str:
    """Return the beginning of a value as JSON; the whole may have megabytes."""
    text = ""
    for piece in _JSON.iterencode(value):
        text += piece
        if len(text) > _SHOWN:
            break
    return text


def _is_file(value: Any) -> bool:
    return hasattr(value, "file")


def _refuse(node: Any, reason: str) -> Any:
    raise colander.Invalid(node, reason)


class _Field(colander.SchemaType):
    """A type that is only ever read."""

    def deserialize(self, node: Any, cstruct: Any) -> Any:
        """Return the value that the client wrote, or null where it wrote none."""
        return colander.null if cstruct is colander.null else self.read(node, cstruct)

    def read(self, node: Any, value: Any) -> Any:
        """Return the value that `value` stands for. Raises colander.Invalid."""
        raise NotImplementedError


class Whole(_Field):
    """An integer in plain ASCII digits, or a JSON integer, in a range (None: unbounded)."""

    def __init__(self, low: int | None = None, high: int | None = None) -> None:
        self.low = low
        self.high = high

    @property
    def allowed(self) -> str:
        """What is accepted, in words."""
        if self.low is None:
            return "an integer"
        if self.high is None:
            return f"an integer of at least {self.low}"
        return f"an integer from {self.low} to {self.high}"

    def read(self, node: Any, value: Any) -> int:
        """Return the integer."""
        number = parse_whole(value) if isinstance(value, str) else value
        if type(number) is not int:
            return _refuse(node, f"must be {self.allowed}, not {show(value)}")
        if self.low is not None and number < self.low:
            return _refuse(node, f"must be {self.allowed}, not {show(value)}")
        if self.high is not None and number > self.high:
            return _refuse(node, f"must be {self.allowed}, not {show(value)}")
        return number


class Id(Whole):
    """An id; one that no database can hold is read as one that is not there."""

    def read(self, node: Any, value: Any) -> int:
        """Return the id, 0 where it cannot be one."""
        number = super().read(node, value)
        return number if 0 < number <= MAX_ID else 0


class Word(_Field):
    """One of a few words; any other is read as `fallback`, where there is one."""

    def __init__(self, words: Any, fallback: str | None = None) -> None:
        self.words = tuple(str(word) for word in words)
        self.fallback = fallback

    def read(self, node: Any, value: Any) -> str:
        """Return the word."""
        if value not in self.words:
            if self.fallback is not None:
                return self.fallback
            return _refuse(node, f"must be one of {', '.join(self.words)}, not {show(value)}")
        return value


class Text(_Field):
    """A text of a length in characters; at least one of them must be seen when `low` is not 0.

    find_error: tells why a text's characters cannot be taken, or None.
    """

    find_error = staticmethod(body_error)

    def __init__(self, low: int, high: int, *, strip: bool = False) -> None:
        self.low = low
        self.high = high
        self.strip = strip

    def read(self, node: Any, value: Any) -> str:
        """Return the text, trimmed if the field is."""
        if _is_file(value):
            return _refuse(node, "must be a text")
        if not isinstance(value, str):
            return _refuse(node, f"must be a text, not {show(value)}")
        text = value.strip() if self.strip else value
        if self.low and not any(char.isprintable() and not char.isspace() for char in text):
            return _refuse(node, "must not be empty")
        if len(text) > self.high:
            return _refuse(node, f"must have at most {self.high} characters, and has {len(text)}")
        error = self.find_error(text)
        if error is not None:
            return _refuse(node, error)
        return text


class Line(Text):
    """A text of one line, trimmed: a title, a name."""

    find_error = staticmethod(line_error)

    def __init__(self, low: int, high: int) -> None:
        super().__init__(low, high, strip=True)


class Lines(Text):
    """A plain text of several lines, trimmed."""

    find_error = staticmethod(lines_error)

    def __init__(self, low: int, high: int) -> None:
        super().__init__(low, high, strip=True)


class Flag(_Field):
    """A JSON boolean, or one of the words that stand for it in a form."""

    WORDS: ClassVar = {"true": True, "1": True, "false": False, "0": False}

    def read(self, node: Any, value: Any) -> bool:
        """Return the boolean."""
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value in self.WORDS:
            return self.WORDS[value]
        return _refuse(node, f"must be true or false, not {show(value)}")


class WebAddress(Line):
    """An http or https address, or nothing."""

    def read(self, node: Any, value: Any) -> str:
        """Return the address, trimmed."""
        address = super().read(node, value)
        if not address:
            return address
        try:
            parts = urlsplit(address)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname or not address.isprintable():
            return _refuse(node, f"must be an http:// or https:// address, not {show(value)}")
        return address


class Ids(_Field):
    """Several ids: a JSON array, a parameter given several times, or one with commas."""

    is_list = True

    def __init__(self, most: int) -> None:
        self.most = most

    def read(self, node: Any, value: Any) -> list[int]:
        """Return the ids, 0 for each that no database can hold."""
        parts: list[Any] = []
        for one in value:
            parts.extend(one.split(",") if isinstance(one, str) else [one])
        if parts == [""]:
            return []
        if len(parts) > self.most:
            return _refuse(node, f"must be at most {self.most} ids, and is {len(parts)}")
        one_id = Id()
        return [one_id.read(node, part) for part in parts]


class Position(_Field):
    """A cursor, as the `Link` of a list carries it."""

    longest = LONGEST

    def read(self, node: Any, value: Any) -> Cursor:
        """Return the cursor; of which list it is, the list knows."""
        cursor = Cursor.parse(value) if isinstance(value, str) else None
        if cursor is None:
            return _refuse(node, f"must be a cursor from a Link of this list, not {show(value)}")
        return cursor


class Upload(_Field):
    """A file of a multipart form."""

    def read(self, node: Any, value: Any) -> Any:
        """Return the uploaded part: `.file` is an open binary file, `.size` its bytes."""
        if not _is_file(value):
            return _refuse(node, "must be a file, sent as multipart/form-data")
        return value


def required(name: str, kind: _Field) -> colander.SchemaNode:
    """Return a parameter that must be there."""
    return colander.SchemaNode(kind, name=name)


def optional(name: str, kind: _Field, default: Any = None) -> colander.SchemaNode:
    """Return a parameter that may be left out; an empty value counts as left out."""
    return colander.SchemaNode(kind, name=name, missing=default)


def clearable(name: str, kind: _Field) -> colander.SchemaNode:
    """Return a parameter that may be left out, and whose empty value empties what it sets."""
    return colander.SchemaNode(kind, name=name, missing=colander.drop, clearable=True)


def parameters(*nodes: colander.SchemaNode) -> colander.SchemaNode:
    """Return the schema of a request with these parameters; others are ignored."""
    return colander.SchemaNode(colander.Mapping(unknown="ignore"), *nodes)
