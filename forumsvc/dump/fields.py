"""The columns of a dump, and how a load reads the values of a row.

Types, and what no database stores, are refused in any dump; CHECKs, references and unique columns
by the database that the rows are written into. Texts that make the service unsafe or break it are
refused in a dump of others only: a database of our own may hold what a rule of today forbids, and
must be loaded again. Lengths and forms are only warned of.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Integer,
    String,
    Table,
)
from sqlalchemy.types import TypeDecorator

from ..models.declarations import RENDERED
from ..text.ids import MAX_ID
from ..text.text_rules import blank_error, body_error
from .errors import DumpError
from .rules import MAX_LENGTHS, ONLY_WARNED_OF, RULE_OF, RULES, is_storable
from .tables import FORMER_COLUMNS, dumped_columns

REQUIRED: Any = object()
"""The default of a column that each row must have."""

TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z"
_TIME = re.compile(TIME)
_TIME_LENGTH = len("2026-01-31T09:05:00.000000Z")
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
        low = 1 if column.primary_key or column.foreign_keys else -high - 1
        return Field(**common, kind="integer", low=low, high=high)
    if not isinstance(type_, String):
        raise TypeError(f"no rule for {column.table.name}.{column.name}")
    name = f"{column.table.name}.{column.name}"
    length, rule = MAX_LENGTHS.get(name, type_.length), RULE_OF.get(name)
    return Field(**common, kind="text", max_length=length, rule=rule)


def _default(column: Column[Any]) -> Any:
    if column.info == RENDERED:
        return None  # rendered from the text
    if column.default is not None and getattr(column.default, "is_scalar", False):
        value = column.default.arg  # type: ignore[attr-defined]
        return str(value) if isinstance(value, str) else value
    if column.server_default is not None:
        value = str(column.server_default.arg)  # type: ignore[attr-defined]
        return int(value) if isinstance(column.type, Integer) else value
    return None if column.nullable else REQUIRED


def read_row(
    line: bytes,
    fields: tuple[Field, ...],
    *,
    is_own: bool = True,
    warn: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Return the values of a row by column, with the defaults of what it leaves out.

    Times have six digits after the point. is_own: whether it is of a database of our own; warn:
    called with what is wrong of a row that is taken all the same.
    Raises DumpError, whose message says what is wrong.
    """
    row = parse_row(line)
    values = {}
    for field in fields:
        value = row.pop(field.name, REQUIRED)
        if value is REQUIRED or value is None:
            values[field.name] = _absent(value, field)
            continue
        values[field.name] = _READERS[field.kind](value, field)
        if field.kind == "text" and (wrong := _broken_rule(value, field)):
            reason, is_refused = wrong
            if is_refused and not is_own:
                raise DumpError(f"{field.name} {reason}")
            warn(f"{field.name} {reason}")
    if unknown := row.keys() - FORMER_COLUMNS:
        raise DumpError(f"has an unknown column {min(unknown)[:60]!r}")
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
    return value


def _broken_rule(value: str, field: Field) -> tuple[str, bool] | None:
    """Return what is wrong with a text, and whether a dump of others is refused for it."""
    if field.rule == "line" and (error := blank_error(value, required=field.default is REQUIRED)):
        return error, True
    if field.rule is not None:
        is_right, expected = RULES[field.rule]
        if not is_right(value):
            return f"must be {expected}", field.rule not in ONLY_WARNED_OF
    if field.max_length is not None and len(value) > field.max_length:
        return f"is longer than {field.max_length} characters", False
    return None


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
        is_right = isinstance(value, dict | list) and is_storable(value)
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
