"""The operator's file of email domains that no account may have."""

from collections.abc import Iterable
from pathlib import Path

from ...email_addresses import normal_domain
from ...settings import Settings, SettingsError

_NAME = "accounts.email_domains_file"


def email_domains_from_settings(settings: Settings, ini_dir: Path) -> frozenset[str]:
    """Return the domains of the file in the settings, in their normal form; none without a file.

    ini_dir: the folder of the ini file, the base of a relative path. Raises SettingsError if the
    file cannot be read, or a line of it is no domain.
    """
    name = settings[_NAME]
    if not name:
        return frozenset()
    try:
        text = (ini_dir / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{_NAME}: {name!r} cannot be read ({error}); it must be the path of a text file in "
            "UTF-8, a domain a line"
        ) from None
    return frozenset(_parse(name, text))


def _parse(name: str, text: str) -> Iterable[str]:
    for number, line in enumerate(text.splitlines(), 1):
        domain = line.partition("#")[0].strip()
        if not domain:
            continue
        normal = normal_domain(domain.removeprefix("@").removeprefix("*."))
        if normal is None:
            raise SettingsError(f"{_NAME}: line {number} of {name!r} is no domain: {domain!r}")
        yield normal
