"""Field types stricter than colander's: its Integer accepts true and 5.7, its String NUL.

Values are text (from a query or form) or JSON values.
"""

import json
from datetime import datetime
from typing import Any, ClassVar
from urllib.parse import urlsplit

import colander

from ..clock import parse_rfc3339
from ..db.cursors import MAX_LENGTH, Cursor
from ..text.ids import MAX_ID, parse_integer
from ..text.messages import Message
from ..text.text_rules import blank_error, body_error, escape, line_error, lines_error, with_lf
from ..text.unicode_forms import without_ignorable

_MAX_QUOTED = 40
_JSON = json.JSONEncoder(ensure_ascii=False)


def quoted(value: Any) -> str:
    """Return a value for an error message: quoted, printable, at most 40 characters.

    A JSON value is shown as JSON. Unprintable characters (control characters, lone surrogates,
    bidirectional controls) are escaped as in Python.
    """
    if _is_file(value):
        return "a file"
    text = value if isinstance(value, str) else _json(value)
    shown = ""
    for character in text:
        piece = escape(character)
        if len(shown) + len(piece) > _MAX_QUOTED:
            return f"'{shown}…'"
        shown += piece
    return f"'{shown}'"


def _json(value: Any) -> str:
    """Return the beginning of a value as JSON; all of it may be megabytes."""
    text = ""
    for piece in _JSON.iterencode(value):
        text += piece
        if len(text) > _MAX_QUOTED:
            break
    return text


def _is_file(value: Any) -> bool:
    return hasattr(value, "file")


def refuse(node: Any, reason: str) -> Any:
    """Raise colander.Invalid for a parameter."""
    raise colander.Invalid(node, reason)


class Field(colander.SchemaType):
    """A type that is parsed only, never serialized."""

    def deserialize(self, node: Any, cstruct: Any) -> Any:
        """Return the parsed value, or null if the client sent none."""
        return colander.null if cstruct is colander.null else self.parse(node, cstruct)

    def parse(self, node: Any, value: Any) -> Any:
        """Return the value that `value` represents. Raises colander.Invalid."""
        raise NotImplementedError


class Integer(Field):
    """An integer in plain ASCII digits, or a JSON integer, in a range (None: unbounded)."""

    def __init__(self, minimum: int | None = None, maximum: int | None = None) -> None:
        self.minimum = minimum
        self.maximum = maximum

    @property
    def allowed(self) -> Message:
        """A description of what is accepted."""
        if self.minimum is None:
            return Message("an integer")
        if self.maximum is None:
            return Message("an integer of at least %(minimum)d", minimum=self.minimum)
        limits = {"minimum": self.minimum, "maximum": self.maximum}
        return Message("an integer from %(minimum)d to %(maximum)d", **limits)

    def parse(self, node: Any, value: Any) -> int:
        number = parse_integer(value) if isinstance(value, str) else value
        if type(number) is int and self._is_in_range(number):
            return number
        values = {"allowed": self.allowed, "value": quoted(value)}
        return refuse(node, Message("must be %(allowed)s, not %(value)s", **values))

    def _is_in_range(self, number: int) -> bool:
        if self.minimum is not None and number < self.minimum:
            return False
        return self.maximum is None or number <= self.maximum


class Id(Integer):
    """An id. One out of the database's range becomes 0, an id that never exists."""

    def parse(self, node: Any, value: Any) -> int:
        """Return the id, 0 if it is out of range."""
        number = super().parse(node, value)
        return number if 0 < number <= MAX_ID else 0


class Choice(Field):
    """One of several words. Any other word becomes `fallback`, if that is given."""

    def __init__(self, choices: Any, fallback: str | None = None) -> None:
        self.choices = tuple(str(word) for word in choices)
        self.fallback = fallback

    def parse(self, node: Any, value: Any) -> str:
        if value not in self.choices:
            if self.fallback is not None:
                return self.fallback
            values = {"words": ", ".join(self.choices), "value": quoted(value)}
            return refuse(node, Message("must be one of %(words)s, not %(value)s", **values))
        return value


class Text(Field):
    """A text with a length in characters, of which one is visible; empty if `min_length` is 0.

    Its lines end with LF, however they were sent, before it is measured: browsers send CRLF. So a
    text that is opened in a form and saved unchanged stays the same.
    find_error: returns why the characters of a text are refused, or None.
    """

    find_error = staticmethod(body_error)

    def __init__(self, min_length: int, max_length: int, *, strip: bool = False) -> None:
        self.min_length = min_length
        self.max_length = max_length
        self.strip = strip

    def parse(self, node: Any, value: Any) -> str:
        """Return the text, trimmed if the field is."""
        text = self.normalized(self._text(node, value))
        if self.strip:
            text = text.strip()
        error = blank_error(text, required=self.min_length > 0)
        return refuse(node, error) if error else self._checked(node, text)

    def normalized(self, text: str) -> str:
        """Return a text with its lines as they are measured and stored."""
        return with_lf(text)

    def _text(self, node: Any, value: Any) -> str:
        if _is_file(value):
            return refuse(node, "must be a text")
        if not isinstance(value, str):
            return refuse(node, Message("must be a text, not %(value)s", value=quoted(value)))
        return value

    def _checked(self, node: Any, text: str) -> str:
        if len(text) > self.max_length:
            lengths = {"most": self.max_length, "length": len(text)}
            reason = Message("must have at most %(most)d characters, and has %(length)d", **lengths)
            return refuse(node, reason)
        error = self.find_error(text)
        return text if error is None else refuse(node, error)


class Line(Text):
    """A trimmed text of one line, such as a title or a name."""

    find_error = staticmethod(line_error)

    def __init__(self, min_length: int, max_length: int) -> None:
        super().__init__(min_length, max_length, strip=True)

    def normalized(self, text: str) -> str:
        """Return the text: `find_error` names the line break that was sent."""
        return text


class Name(Line):
    """The name of a person or an application, without invisible characters that change nothing."""

    def parse(self, node: Any, value: Any) -> str:
        return without_ignorable(super().parse(node, value)).strip()


class Password(Text):
    """A password, as it was typed; `opaque_string` is the form in which two are compared."""

    def parse(self, node: Any, value: Any) -> str:
        password = self._text(node, value)
        is_missing = not password and self.min_length
        return refuse(node, "must not be empty") if is_missing else self._checked(node, password)


class Lines(Text):
    """A trimmed plain text of several lines."""

    find_error = staticmethod(lines_error)

    def __init__(self, min_length: int, max_length: int) -> None:
        super().__init__(min_length, max_length, strip=True)


class Boolean(Field):
    """A JSON boolean, 1 or 0 (which PHP and databases have for it), or a word for it in a form."""

    WORDS: ClassVar = {"true": True, "1": True, "false": False, "0": False}

    def parse(self, node: Any, value: Any) -> bool:
        if isinstance(value, bool) or (type(value) is int and value in (0, 1)):
            return bool(value)
        if isinstance(value, str) and value in self.WORDS:
            return self.WORDS[value]
        reason = Message("must be true or false, not %(value)s", value=quoted(value))
        return refuse(node, reason)


class Url(Line):
    """An http or https URL, or an empty text."""

    def parse(self, node: Any, value: Any) -> str:
        address = super().parse(node, value)
        if not address:
            return address
        try:
            parts = urlsplit(address)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname or not address.isprintable():
            values = {"value": quoted(value)}
            reason = Message("must be an http:// or https:// address, not %(value)s", **values)
            return refuse(node, reason)
        return address


class Moment(Field):
    """A time with its offset from UTC (RFC 3339)."""

    def parse(self, node: Any, value: Any) -> datetime:
        """Return the time in UTC."""
        moment = parse_rfc3339(value) if isinstance(value, str) else None
        if moment is None:
            values = {"value": quoted(value)}
            reason = Message("must be a time such as 2026-11-21T08:00:00Z, not %(value)s", **values)
            return refuse(node, reason)
        return moment


class CursorField(Field):
    """A paging cursor from the `Link` header of a list."""

    max_length = MAX_LENGTH

    def parse(self, node: Any, value: Any) -> Cursor:
        """Return the cursor; the list checks that the cursor is its own."""
        cursor = Cursor.parse(value) if isinstance(value, str) else None
        if cursor is None:
            values = {"value": quoted(value)}
            reason = Message("must be a cursor from a Link of this list, not %(value)s", **values)
            return refuse(node, reason)
        return cursor


class File(Field):
    """A file in a multipart form."""

    def parse(self, node: Any, value: Any) -> Any:
        """Return the uploaded part: `.file` is an open binary file, `.size` its bytes."""
        if not _is_file(value):
            return refuse(node, "must be a file, sent as multipart/form-data")
        return value


def required(name: str, type_: Field) -> colander.SchemaNode:
    return colander.SchemaNode(type_, name=name)


def optional(name: str, type_: Field, default: Any = None) -> colander.SchemaNode:
    """Return an optional parameter; an empty value counts as absent."""
    return colander.SchemaNode(type_, name=name, missing=default)


def clearable(name: str, type_: Field) -> colander.SchemaNode:
    """Return an optional parameter: left out, the field stays; its type judges an empty value."""
    return colander.SchemaNode(type_, name=name, missing=colander.drop, clearable=True)


def parameters(*nodes: colander.SchemaNode) -> colander.SchemaNode:
    """Return the schema of a request with these parameters; others are ignored."""
    return colander.SchemaNode(colander.Mapping(unknown="ignore"), *nodes)
