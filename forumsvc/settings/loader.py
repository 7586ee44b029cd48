"""The settings of an ini file: parsed, checked when the service starts, and displayed."""

import codecs
import difflib
import ipaddress
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .declared import DECLARED
from .masking import masked
from .setting import Setting

# Production refuses it.
DEVELOPMENT_SECRET = "development-secret-known-to-everybody"  # noqa: S105
_ENVIRONMENT = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class SettingsError(Exception):
    """A setting is wrong; the message is one line naming the key, the value and what is allowed."""


_KNOWN = [setting.name for setting in DECLARED]
_OF_OTHERS = re.compile(r"use|filter-with|(pyramid|debugtoolbar)\..+")
"""Keys that PasteDeploy, Pyramid and its debug toolbar read."""


def find_errors(ini: Mapping[str, str]) -> list[str]:
    """Return what is wrong with an ini section, one line for each setting."""
    errors = [*_unknown_names(ini)]
    for setting in DECLARED:
        try:
            _read(setting, ini)
        except SettingsError as error:
            errors.append(str(error))
    if not errors:
        try:
            Settings(ini)
        except SettingsError as error:
            errors.append(str(error))
    return errors


class Settings(Mapping[str, Any]):
    """The checked settings: `settings["http.max_body"]` is the value, of the declared type."""

    def __init__(self, ini: Mapping[str, str], folder: Path | None = None) -> None:
        """Read the settings of an ini section.

        ini: the keys of `[app:main]`; those that Pyramid itself reads (`pyramid.*`) are ignored;
        folder: the ini file's, in which the path of an SQLite file begins.
        Raises SettingsError at the first setting that is wrong, unknown, or missing.
        """
        self._values: dict[str, Any] = {}
        self.explicit: set[str] = set()
        """The settings that the ini file sets; the others have their defaults."""
        if folder is not None and (problem := ini_path_problem(folder)):
            raise SettingsError(problem)
        for error in _unknown_names(ini):
            raise SettingsError(error)
        for setting in DECLARED:
            self._values[setting.name] = _read(setting, ini)
            if setting.name in ini:
                self.explicit.add(setting.name)
        if folder is not None:
            for name in ("sqlalchemy.url", "sqlalchemy.direct_url"):
                self._values[name] = _in_folder(folder, self._values[name])
        self._check_production()
        self._check_mail()
        self._check_pooler()

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def _check_production(self) -> None:
        if self["site.environment"] != "production":
            return
        if self["session.secret"] == DEVELOPMENT_SECRET:
            raise SettingsError(
                "session.secret: development's secret is no secret; in production it must be "
                "a text of at least 32 characters of your own"
            )
        # The issuer, links and the cookie's name would follow a Host header that an attacker
        # chooses. An ini file without site.environment may start, so that an upgrade stops no
        # forum; it gets `site_url_warning`.
        if not self["site.url"] and "site.environment" in self.explicit:
            raise SettingsError(
                "site.url: missing; it must be the http:// or https:// address under which clients "
                "reach the service (only site.environment = development may leave it empty)"
            )

    @property
    def site_url_warning(self) -> str | None:
        """A warning for the admin if `site.url` is missing in production, else None."""
        if self["site.url"] or self["site.environment"] != "production":
            return None
        return (
            "site.url is not set: links and the names of cookies follow the Host that a client "
            "sends; set it, or site.environment = development"
        )

    def _check_mail(self) -> None:
        delivery = self["mail.delivery"]
        is_outside = self["site.environment"] != "development" and delivery != "none"
        if (is_outside or delivery == "smtp") and not self["site.url"]:
            # The Host of a request may be chosen by an attacker.
            raise SettingsError(
                f"site.url: missing; with mail.delivery = {delivery} it must be the http:// or "
                "https:// address that links in mail lead to"
            )
        if self["accounts.confirm_email"] == "true" and delivery == "none":
            raise SettingsError(
                "accounts.confirm_email: true needs mail, and mail.delivery is none; it must be "
                "auto or false"
            )
        if (
            self["mail.user"]
            and self["mail.security"] == "none"
            and not _is_loopback(self["mail.host"])
        ):
            raise SettingsError(
                "mail.security: none would send the password of mail.user unencrypted to "
                f"{self['mail.host']}; it must be starttls or tls"
            )

    def _check_pooler(self) -> None:
        if self["sqlalchemy.pooler"] and not self["sqlalchemy.direct_url"]:
            raise SettingsError(
                "sqlalchemy.direct_url: missing; with sqlalchemy.pooler = true it must be the URL "
                "of PostgreSQL itself, which the commands use"
            )

    @property
    def direct_url(self) -> str:
        """The URL of the database past any pooler."""
        return str(self["sqlalchemy.direct_url"] or self["sqlalchemy.url"])

    def displayed(self) -> Iterator[tuple[Setting, str, bool]]:
        """Yield each setting, its value as text (secrets masked), and whether it is the default."""
        for setting in DECLARED:
            value = self[setting.name]
            yield setting, _display(setting, value), setting.name not in self.explicit


def ini_path_problem(path: Path) -> str | None:
    """Return why an ini file, or one in a folder, cannot be read; None if nothing is known."""
    whole = path.absolute()
    if characters := [char for char in "%?#" if char in str(whole)]:
        return (
            f"{whole}: ini files cannot be in a folder with {characters[0]} in its path: rename it"
        )
    if path.is_file() and path.read_bytes().startswith(codecs.BOM_UTF8):
        return f"{path} begins with a byte order mark: save it in UTF-8 without one"
    return None


def _in_folder(folder: Path, url: str) -> str:
    """Return the URL of a database, whose path is absolute if it is an SQLite file."""
    scheme, separator, path = url.partition("sqlite:///")
    is_path = bool(separator) and not path.startswith("file:")
    return f"{scheme}{separator}{folder.absolute() / path}" if is_path else url


def _is_loopback(host: str) -> bool:
    """Return whether a host is this machine. Other names than localhost are not looked up."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _read(setting: Setting, ini: Mapping[str, str]) -> Any:
    name = setting.name
    text = ini.get(name, setting.default)
    if text is None:
        raise SettingsError(f"{name}: missing; it must be {setting.type.allowed}")
    text = _expand(setting, text.strip())
    try:
        return setting.type.parse(text)
    except (ValueError, KeyError):
        shown = "the value given" if setting.secret else repr(text)
        raise SettingsError(
            f"{name}: {shown} is not allowed; it must be {setting.type.allowed}"
        ) from None


def _expand(setting: Setting, text: str) -> str:
    def value(match: re.Match[str]) -> str:
        try:
            return os.environ[match[1]]
        except KeyError:
            raise SettingsError(
                f"{setting.name}: the environment variable {match[1]} is not set; it must be "
                f"{setting.type.allowed}"
            ) from None

    return _ENVIRONMENT.sub(value, text)


def _unknown_names(ini: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each key that nobody reads."""
    for name in ini:
        if name not in _KNOWN and not _OF_OTHERS.fullmatch(name):
            yield f"{name}: there is no such setting; {_hint(name)}"


def _hint(name: str) -> str:
    """Return what may have been meant by an unknown name."""
    if close := difflib.get_close_matches(name.lower(), _KNOWN, 1):
        return f"did you mean {close[0]}?"
    if area := [item for item in _KNOWN if item.startswith(name.partition(".")[0] + ".")]:
        return f"known here: {', '.join(area)}"
    return "forumsvc settings --describe lists them all"


def _display(setting: Setting, value: Any) -> str:
    if setting.secret:
        return masked(setting, value)
    if value is None:
        return "off"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, frozenset):
        return " ".join(sorted(value))
    return f"{value:g}" if isinstance(value, float) else str(value)
