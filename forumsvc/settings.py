"""Every ini setting: declared once, read from here, checked at start-up."""

import difflib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

DEVELOPMENT_SECRET = "development-secret-known-to-everybody"  # noqa: S105 - it is refused in production
_ENVIRONMENT = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class SettingsError(Exception):
    """A setting is wrong; the message is one line naming the key, the value and what is allowed."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How a setting's text is read.

    parse: text -> value, raising ValueError; allowed: what it accepts, in words.
    """

    parse: Callable[[str], Any]
    allowed: str


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of the ini files; `default` is written as it would be there, None: required."""

    name: str
    kind: Kind
    default: str | None
    meaning: str
    secret: bool = False

    @property
    def area(self) -> str:
        """The part of the name before the dot."""
        return self.name.partition(".")[0]


def _whole(low: int, high: int) -> Kind:
    def parse(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,18}", text) or not low <= int(text) <= high:
            raise ValueError
        return int(text)

    return Kind(parse, f"a whole number from {low} to {high}")


def _seconds(low: float, high: float) -> Kind:
    def parse(text: str) -> float:
        if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) or not low <= float(text) <= high:
            raise ValueError
        return float(text)

    return Kind(parse, f"a number of seconds from {low:g} to {high:g}")


def _choice(*words: str) -> Kind:
    def parse(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return Kind(parse, "one of " + ", ".join(words))


def _matching(pattern: str, allowed: str) -> Kind:
    def parse(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError
        return text.rstrip("/")

    return Kind(parse, allowed)


def _origins(text: str) -> frozenset[str]:
    origins = text.split()
    if any(not re.fullmatch(r"\*|https?://[^/\s]+", origin) for origin in origins):
        raise ValueError
    return frozenset(origin.lower() for origin in origins)


def _database(text: str) -> str:
    if re.fullmatch(r"sqlite:///(?!/?:memory:).+", text):
        return text
    if re.match(r"postgres(ql)?(\+psycopg)?://", text):
        return re.sub(r"^postgres(ql)?(\+psycopg)?://", "postgresql+psycopg://", text)
    raise ValueError


def _secret(text: str) -> str:
    if len(text) < 32:
        raise ValueError
    return text


TEXT = Kind(str, "any text")
WORD = Kind(lambda text: text if text.strip() else _refuse(), "a text that is not empty")
FLAG = Kind(lambda text: {"true": True, "false": False}[text], "true or false")
ADDRESS = _matching(r"(https?://[^/\s?#]+[^\s?#]*)?", "an http:// or https:// address, or nothing")


def _refuse() -> str:
    raise ValueError


LEVELS = {
    "newbie": "Newcomer",
    "member": "Member",
    "vip": "VIP",
    "maintainer": "Maintainer",
    "admin": "Admin",
    "blocked": "Blocked",
    "deleted": "Deleted",
}

DECLARED: tuple[Setting, ...] = (
    Setting(
        "site.environment",
        _choice("development", "production"),
        "production",
        "production refuses development's secret",
    ),
    Setting("site.name", WORD, "Forum", "the community's name, on the pages"),
    Setting(
        "site.url",
        ADDRESS,
        "",
        "the address under which clients reach the service; where empty, the one they used",
    ),
    Setting(
        "site.user_url",
        _matching(r"\S*\{login\}\S*", "an address with {login} in it"),
        "/{login}",
        "where a mention links to; {login} is replaced",
    ),
    Setting(
        "sqlalchemy.url",
        Kind(_database, "sqlite:///PATH or postgresql://USER:PASSWORD@HOST/DATABASE"),
        None,
        "the database",
        secret=True,
    ),
    Setting(
        "sqlalchemy.pool_size",
        _whole(1, 200),
        "10",
        "connections kept open by each process, for reads and for writes alike",
    ),
    Setting("api.envelope", _choice("bare", "keyed"), "bare", "the shape of the API's answers"),
    Setting(
        "http.max_body",
        _whole(1024, 1024**3),
        "12000000",
        "the largest request body, in bytes; keep it below waitress's max_request_body_size",
    ),
    Setting(
        "http.cors_origins",
        Kind(_origins, "origins such as https://example.org, separated by blanks, or *"),
        "",
        "from where a browser's script may call",
    ),
    Setting(
        "accounts.newbie_minutes",
        _whole(0, 10_000_000),
        "0",
        "how long a new member may reply but not open topics",
    ),
    Setting("accounts.registration", _choice("closed"), "closed", "who may open an account"),
    Setting(
        "accounts.login_failures",
        _whole(1, 1000),
        "10",
        "wrong passwords for an account from one address before the next attempt must wait",
    ),
    Setting(
        "accounts.login_failures_alone",
        _whole(1, 100_000),
        "100",
        "wrong passwords for an account, or from an address, before the next attempt must wait",
    ),
    Setting(
        "accounts.login_window",
        _whole(1, 86400),
        "900",
        "how long a wrong password counts, and the longest wait, in seconds",
    ),
    Setting(
        "accounts.login_wait",
        _whole(1, 3600),
        "60",
        "the first wait, which each further wrong password doubles, in seconds",
    ),
    *(
        Setting(f"levels.{level}", WORD, shown, f"what the level {level} is called")
        for level, shown in LEVELS.items()
    ),
    Setting("posts.max_title", _whole(1, 255), "255", "the longest title, in characters"),
    Setting("posts.max_body", _whole(1, 10_000_000), "65536", "the longest text, in characters"),
    Setting(
        "notifications.max_mentions",
        _whole(0, 1000),
        "20",
        "how many users one text may notify by mentioning them",
    ),
    Setting(
        "topics.hits_interval",
        _seconds(0.05, 3600),
        "5",
        "how long reads are counted in memory before they are written, in seconds",
    ),
    Setting(
        "oauth.access_token_ttl",
        _whole(1, 10**9),
        "86400",
        "the life of an access token, in seconds",
    ),
    Setting(
        "oauth.refresh_token_ttl",
        _whole(1, 10**9),
        "2592000",
        "the life of a refresh token, in seconds",
    ),
    Setting(
        "oauth.refresh_grace",
        _whole(0, 3600),
        "0",
        "for how many seconds a refresh token's second use is refused without revoking its family",
    ),
    Setting(
        "oauth.code_ttl", _whole(1, 600), "60", "the life of an authorization code, in seconds"
    ),
    Setting(
        "oauth.require_pkce",
        FLAG,
        "false",
        "whether clients with a secret must use PKCE too; public ones always must",
    ),
    Setting("photos.storage", _choice("local"), "local", "where pictures are kept"),
    Setting("photos.dir", WORD, "var/photos", "the folder of the local storage"),
    Setting("photos.max_bytes", _whole(1024, 1024**3), "10000000", "the largest picture, in bytes"),
    Setting(
        "photos.max_pixels",
        _whole(1, 10**9),
        "50000000",
        "the largest picture, in pixels over all its frames",
    ),
    Setting(
        "markup.workers", _whole(0, 64), "2", "processes that render text; 0: none of their own"
    ),
    Setting(
        "markup.timeout", _seconds(0.05, 60), "1", "the longest that one text may take to render"
    ),
    Setting(
        "session.secret",
        Kind(_secret, "a text of at least 32 characters"),
        None,
        "signs cookies and links",
        secret=True,
    ),
)

_BY_NAME = {setting.name: setting for setting in DECLARED}
_AREAS = {setting.area for setting in DECLARED}


class Settings(Mapping[str, Any]):
    """The checked settings: `settings["http.max_body"]` is the value, of the declared type."""

    def __init__(self, written: Mapping[str, str]) -> None:
        """Read the settings of an ini section.

        written: what `[app:main]` holds; keys of other areas (`pyramid.*`) are passed over.
        Raises SettingsError at the first that is wrong, unknown in its area, or missing.
        """
        self._values: dict[str, Any] = {}
        self.written: set[str] = set()
        """The names that the ini really holds; the others are at their defaults."""
        for name in written:
            if name not in _BY_NAME and name.partition(".")[0] in _AREAS and "." in name:
                raise SettingsError(_unknown(name))
        for setting in DECLARED:
            text = written.get(setting.name)
            if text is not None:
                self.written.add(setting.name)
            self._values[setting.name] = _read(setting, text)
        self._check_production()

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def _check_production(self) -> None:
        production = self["site.environment"] == "production"
        if production and self["session.secret"] == DEVELOPMENT_SECRET:
            raise SettingsError(
                "session.secret: development's secret is no secret; in production it must be "
                "a text of at least 32 characters of your own"
            )

    def shown(self) -> Iterator[tuple[Setting, str, bool]]:
        """Yield each setting, its value in words (secrets masked), and whether it is a default."""
        for setting in DECLARED:
            value = self[setting.name]
            yield setting, _show(setting, value), setting.name not in self.written


def _read(setting: Setting, text: str | None) -> Any:
    if text is None:
        text = setting.default
    if text is None:
        raise SettingsError(f"{setting.name}: missing; it must be {setting.kind.allowed}")
    text = _expand(setting.name, text.strip())
    try:
        return setting.kind.parse(text)
    except (ValueError, KeyError):
        shown = "the value given" if setting.secret else repr(text)
        raise SettingsError(
            f"{setting.name}: {shown} is not allowed; it must be {setting.kind.allowed}"
        ) from None


def _expand(name: str, text: str) -> str:
    def value(match: re.Match[str]) -> str:
        try:
            return os.environ[match[1]]
        except KeyError:
            raise SettingsError(
                f"{name}: the environment variable {match[1]} is not set; it must be "
                f"{_BY_NAME[name].kind.allowed}"
            ) from None

    return _ENVIRONMENT.sub(value, text)


def _unknown(name: str) -> str:
    area = name.partition(".")[0]
    known = [setting.name for setting in DECLARED if setting.area == area]
    close = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {close[0]}?" if close else "known here: " + ", ".join(known)
    return f"{name}: there is no such setting; {hint}"


def _show(setting: Setting, value: Any) -> str:
    if setting.secret:
        return "********"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, frozenset):
        return " ".join(sorted(value))
    return f"{value:g}" if isinstance(value, float) else str(value)
