"""What may stand in a column of a dump: the rules by which a load reads each row."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Integer,
    String,
    Table,
)
from sqlalchemy.types import TypeDecorator

from ..email_addresses import email_key
from ..ids import MAX_ID, is_login
from ..media.storage import is_name
from ..models import PROFILE_TEXTS
from ..services.erasure import PostsErasure
from ..text_rules import body_error, line_error
from .errors import DumpError
from .tables import HTML_COLUMNS, dumped_columns

REQUIRED: Any = object()
"""The default of a column that each row must have."""

TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z"
_TIME = re.compile(TIME)
_TIME_LENGTH = len("2026-01-31T09:05:00.000000Z")
_ONE_OF = re.compile(r"(\w+) IN \((.*)\)")
_NOT_NEGATIVE = re.compile(r"(\w+) >= 0")
_MAX_INTEGER = 2**31 - 1


@dataclass(frozen=True)
class Field:
    """A column. default: of a row without it, or REQUIRED; low, high: of an integer."""

    name: str
    kind: str
    nullable: bool
    default: Any
    low: int = 0
    high: int = 0
    max_length: int | None = None
    choices: tuple[str, ...] | None = None
    rule: str | None = None
    """The name of a further rule, see `RULES`."""


@cache
def fields_of(table: Table, *, secrets: bool) -> tuple[Field, ...]:
    """Return the columns of a table in a dump."""
    return tuple(map(_field, dumped_columns(table, secrets=secrets)))


def _field(column: Column[Any]) -> Field:
    type_ = column.type.impl if isinstance(column.type, TypeDecorator) else column.type
    default = _default(column)
    nullable = bool(column.nullable)
    common = {"name": column.name, "nullable": nullable, "default": default}
    if isinstance(type_, JSON):
        return Field(**common, kind="json")
    if isinstance(type_, DateTime):
        return Field(**common, kind="time")
    if isinstance(type_, Boolean):
        return Field(**common, kind="boolean")
    if isinstance(type_, Integer):
        high = MAX_ID if isinstance(type_, BigInteger) else _MAX_INTEGER
        low = -high - 1
        if column.primary_key or column.foreign_keys:
            low = 1
        if column.name in _checked(column.table, _NOT_NEGATIVE) or column.name == "id":
            low = max(low, 0)
        if column.table.name == "event_positions":
            low = 0
        return Field(**common, kind="integer", low=low, high=high)
    if not isinstance(type_, String):
        raise TypeError(f"no rule for {column.table.name}.{column.name}")
    name = f"{column.table.name}.{column.name}"
    listed, choices = _checked(column.table, _ONE_OF).get(column.name), _CHOICES.get(name)
    if listed is not None:
        choices = tuple(one.strip(" '") for one in listed.split(","))
    length, rule = _MAX_LENGTHS.get(name, type_.length), RULE_OF.get(name)
    return Field(**common, kind="text", max_length=length, choices=choices, rule=rule)


def _default(column: Column[Any]) -> Any:
    if column.name in HTML_COLUMNS:
        return None  # rendered from the text
    if column.default is not None and getattr(column.default, "is_scalar", False):
        value = column.default.arg  # type: ignore[attr-defined]
        return str(value) if isinstance(value, str) else value
    if column.server_default is not None:
        value = str(column.server_default.arg)  # type: ignore[attr-defined]
        return int(value) if isinstance(column.type, Integer) else value
    return None if column.nullable else REQUIRED


@cache
def _checked(table: Any, pattern: re.Pattern[str]) -> dict[str, str]:
    """Return what the table's CHECKs of this form allow, by column."""
    checks = (one for one in table.constraints if isinstance(one, CheckConstraint))
    matches = (pattern.fullmatch(str(one.sqltext)) for one in checks)
    return {found[1]: found[found.lastindex or 1] for found in matches if found}


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and text.isprintable()
    except ValueError:
        return False


def _is_json_object(text: str) -> bool:
    try:
        found = json.loads(text)
        return isinstance(found, dict) and _is_storable(found)
    except (ValueError, RecursionError):
        return False


def _is_storable(value: Any) -> bool:
    """Return whether both databases take a JSON value. Raises ValueError, RecursionError."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return not body_error(text) and "\\u0000" not in text.replace("\\\\", "")


RULES: dict[str, tuple[Callable[[str], bool], str]] = {
    "login": (is_login, "a login"),
    "email": (lambda text: email_key(text) is not None, "an email address"),
    "web": (lambda text: not text or _is_web_address(text), "an http or https address, or empty"),
    "image": (lambda text: not text or is_name(text), "the name of a stored image, or empty"),
    "object": (_is_json_object, "the text of a JSON object"),
    "line": (lambda text: line_error(text) is None, "one line without control characters"),
}
"""Rules that the database does not know, and what a text must be."""

RULE_OF = {
    "users.login": "login",
    "users.email": "email",
    "users.unconfirmed_email": "email",
    "users.name": "line",
    "users.website": "web",
    "users.avatar": "image",
    "sections.name": "line",
    "nodes.name": "line",
    "topics.title": "line",
    "photos.name": "image",
    "webhooks.url": "web",
    "notifications.details": "object",
    "audit_log.details": "object",
    "events.data": "object",
}

_MAX_LENGTHS = {"users.name": 100} | {
    f"users.{text.name}": text.max_length for text in PROFILE_TEXTS
}
"""Of columns that the database does not limit, but the API does."""

_CHOICES: dict[str, tuple[str, ...]] = {"users.closure_posts": tuple(map(str, PostsErasure))}
"""Of columns that have no CHECK of the database."""


def read_row(line: bytes, fields: tuple[Field, ...]) -> dict[str, Any]:
    """Return the values of a row by column, with the defaults of what it leaves out.

    Times have six digits after the point. Raises DumpError, whose message says what is wrong.
    """
    row = parse_row(line)
    values = {}
    for field in fields:
        value = row.pop(field.name, REQUIRED)
        if value is REQUIRED or value is None:
            values[field.name] = _absent(value, field)
        else:
            values[field.name] = _READERS[field.kind](value, field)
    if row:
        raise DumpError(f"has an unknown column {min(row)[:60]!r}")
    return values


def parse_row(line: bytes) -> dict[str, Any]:
    """Return the JSON object of a line, whatever its values. Raises DumpError as `read_row`."""
    try:
        row = _DECODER.decode(line.decode())
    except UnicodeDecodeError as error:
        raise DumpError(f"byte {error.start + 1} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise DumpError(f"is no JSON: {error.msg} at character {error.pos + 1}") from None
    except (ValueError, RecursionError):
        raise DumpError("is no JSON that can be read") from None
    if not isinstance(row, dict):
        raise DumpError("is no JSON object")
    return row


def _absent(value: Any, field: Field) -> Any:
    """Return the value of a column that is null (None) or left out (REQUIRED)."""
    if value is None and not field.nullable and field.default is not None:
        raise DumpError(f"{field.name} must not be null")
    if field.default is REQUIRED:
        raise DumpError(f"{field.name} is missing")
    return None if value is None else field.default


def _refuse_constant(text: str) -> None:
    raise ValueError(text)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _integer(value: Any, field: Field) -> int:
    if type(value) is not int or not field.low <= value <= field.high:
        raise DumpError(f"{field.name} must be an integer from {field.low} to {field.high}")
    return value


def _boolean(value: Any, field: Field) -> bool:
    if type(value) is not bool:
        raise DumpError(f"{field.name} must be true or false")
    return value


def _text(value: Any, field: Field) -> str:
    if not isinstance(value, str):
        raise DumpError(f"{field.name} must be a text")
    if error := body_error(value):
        raise DumpError(f"{field.name} {error}")
    if field.max_length is not None and len(value) > field.max_length:
        raise DumpError(f"{field.name} is longer than {field.max_length} characters")
    if field.choices is not None and value not in field.choices:
        raise DumpError(f"{field.name} must be one of {', '.join(field.choices)}")
    if field.rule is not None:
        is_right, expected = RULES[field.rule]
        if not is_right(value):
            raise DumpError(f"{field.name} must be {expected}")
    return value


def _time(value: Any, field: Field) -> str:
    if isinstance(value, str) and _TIME.fullmatch(value):
        try:
            datetime.fromisoformat(value[:19])
        except ValueError:
            pass
        else:
            if len(value) == _TIME_LENGTH:
                return value
            head, _, fraction = value.removesuffix("Z").partition(".")
            return f"{head}.{fraction:0<6}Z"
    raise DumpError(f"{field.name} must be a time such as 2026-01-31T09:05:00.000000Z")


def _json(value: Any, field: Field) -> Any:
    try:
        is_right = isinstance(value, dict | list) and _is_storable(value)
    except (ValueError, RecursionError):
        is_right = False
    if not is_right:
        raise DumpError(
            f"{field.name} must be an object or a list, without NUL, surrogates and infinity"
        )
    return value


_READERS: dict[str, Callable[[Any, Field], Any]] = {
    "integer": _integer,
    "boolean": _boolean,
    "text": _text,
    "time": _time,
    "json": _json,
}
