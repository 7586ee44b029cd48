"""The types of settings: how the text of an ini file is parsed, and what is allowed."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..text.email_addresses import ascii_address


@dataclass(frozen=True, slots=True)
class SettingType:
    """How the text of a setting is parsed.

    parse: text -> value, raises ValueError; allowed: a description of what is accepted; name: the
    type's name in `settings --describe`; unit: of a number, empty where the setting's name ends in
    it (`…_seconds`).
    """

    parse: Callable[[str], Any]
    allowed: str
    name: str = "text"
    unit: str = ""


def integer(low: int, high: int, unit: str = "") -> SettingType:
    """Return the type of an integer in a range."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,18}", text) or not low <= int(text) <= high:
            raise ValueError
        return int(text)

    return SettingType(parse, f"a whole number from {low} to {high}", "integer", unit)


def or_off(kind: SettingType) -> SettingType:
    """Return the type of a limit that can be `off`, which is None."""

    def parse(text: str) -> Any:
        return None if text == "off" else kind.parse(text)

    return SettingType(parse, f"{kind.allowed}, or off", f"{kind.name} or off", kind.unit)


def seconds(low: float, high: float) -> SettingType:
    """Return the type of a number of seconds in a range."""

    def parse(text: str) -> float:
        if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) or not low <= float(text) <= high:
            raise ValueError
        return float(text)

    allowed = f"a number of seconds from {low:g} to {high:g}"
    return SettingType(parse, allowed, "number", "seconds")


def choice(*words: str) -> SettingType:
    """Return the type of a choice between words."""

    def parse(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return SettingType(parse, "one of " + ", ".join(words), "choice")


def matching(pattern: str, allowed: str) -> SettingType:
    """Return the type of a text that matches a pattern; a trailing slash is dropped."""

    def parse(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError
        return text.rstrip("/")

    return SettingType(parse, allowed)


def _origins(text: str) -> frozenset[str]:
    origins = text.split()
    if any(not re.fullmatch(r"\*|https?://[^/\s]+", origin) for origin in origins):
        raise ValueError
    return frozenset(origin.lower() for origin in origins)


_COMMENT = re.compile(r"\s[#;]")
"""What may have been meant as a comment behind a value: it belongs to the value."""


def _database(text: str) -> str:
    if _COMMENT.search(text):
        raise ValueError
    if re.fullmatch(r"sqlite:///(?!/?:memory:).+", text):
        return re.sub("(?<=^sqlite:///)~.*", lambda path: _path(path[0]), text)
    if re.match(r"postgres(ql)?(\+psycopg)?://", text):
        return re.sub(r"^postgres(ql)?(\+psycopg)?://", "postgresql+psycopg://", text)
    raise ValueError


def _path(text: str) -> str:
    """Return a path with the home in place of `~`; who uses it begins at the ini file's folder."""
    path = os.path.expanduser(text)
    if path.startswith("~") or _COMMENT.search(text) or not text.isprintable():
        raise ValueError
    return path


def _storage(text: str) -> str:
    if not re.fullmatch(r"memory://|redis(s|\+unix)?://\S+", text):
        raise ValueError
    return text


def _sender(text: str) -> str:
    address = ascii_address(text)
    if address is None or not re.fullmatch(r"[^\s@<>,]+@[^\s@<>,]+", text):
        raise ValueError
    return address


def _secret(text: str) -> str:
    if len(text) < 32:
        raise ValueError
    return text


TEXT = SettingType(str, "any text")
NON_EMPTY = SettingType(
    lambda text: text if text.strip() else _refuse(), "a text that is not empty"
)
PATH = SettingType(
    _path, "a path, from the folder of the ini file; ~ is the home; no comment behind it"
)
FOLDER = SettingType(lambda text: _path(NON_EMPTY.parse(text)), PATH.allowed)
BOOLEAN = SettingType(lambda text: {"true": True, "false": False}[text], "true or false", "boolean")
URL = matching(r"(https?://[^/\s?#]+[^\s?#]*)?", "an http:// or https:// address, or nothing")


def _refuse() -> str:
    raise ValueError


SENDER = SettingType(_sender, "an email address")
OPTIONAL_ADDRESS = SettingType(
    lambda text: _sender(text) if text else "", "an email address, or nothing"
)
DATABASE_URL = SettingType(_database, "sqlite:///PATH or postgresql://USER:PASSWORD@HOST/DATABASE")
OPTIONAL_DATABASE_URL = SettingType(
    lambda text: _database(text) if text else "",
    "postgresql://USER:PASSWORD@HOST/DATABASE, or nothing",
)
ORIGINS = SettingType(_origins, "origins such as https://example.org, separated by blanks, or *")
RATE = matching(
    "[1-9][0-9]{0,8}/(second|minute|hour|day)",
    "a number and a time it is for, such as 300/minute (or /second, /hour, /day)",
)
STORAGE = SettingType(_storage, "memory:// or redis://…, rediss://… or redis+unix://…")
SECRET = SettingType(_secret, "a text of at least 32 characters")
