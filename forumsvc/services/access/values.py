"""The normal forms of what is blocked: networks, email addresses, email domains."""

import hmac
import re
from collections.abc import Iterable
from hashlib import sha256
from ipaddress import ip_network
from pathlib import Path

from ...errors import Invalid
from ...models import AccessBlockKind
from ...settings import Settings, SettingsError
from ...text import ip_addresses
from ...text.email_addresses import MAX_EMAIL, email_key, normal_domain
from ...text.ip_addresses import Network
from ...text.messages import Message

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


MAX_VALUE = MAX_EMAIL
WIDEST = {4: 8, 6: 16}
"""The shortest prefix of a network that may be blocked, by the version of IP."""
SUBSCRIBER = 64
"""The prefix of the network of one subscriber of IPv6, who has all addresses in it."""

_TAGS = frozenset(
    [
        *("gmail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "icloud.com"),
        *("me.com", "mac.com", "proton.me", "protonmail.com", "pm.me", "fastmail.com"),
        *("zoho.com", "yandex.com", "yandex.ru", "mail.ru"),
    ]
)
"""Hosts that deliver `name+tag` to `name`."""
_WITHOUT_DOTS = frozenset(["gmail.com"])
"""Hosts that ignore the dots in a name."""
_SAME_HOST = {"googlemail.com": "gmail.com"}

_NETWORK = re.compile(r"[0-9./]+", re.ASCII)


def kind_of(value: str) -> AccessBlockKind:
    """Return what a value seems to be: a network, an email address, or else a domain."""
    if "@" in value:
        return AccessBlockKind.EMAIL
    is_network = ":" in value or _NETWORK.fullmatch(value.strip()) is not None
    return AccessBlockKind.ADDRESS if is_network else AccessBlockKind.EMAIL_DOMAIN


def normalize(kind: AccessBlockKind, value: str, *, allow_loopback: bool = False) -> str:
    """Return a value of a block in the form in which it is stored and compared.

    allow_loopback: whether a network may hold the machine's own addresses. Raises Invalid for
    `value` if it is not valid for the kind, or is a network that is too wide.
    """
    value = value.strip()
    if kind is AccessBlockKind.ADDRESS:
        return str(parse_network(value, allow_loopback=allow_loopback))
    if kind is AccessBlockKind.EMAIL:
        return _email(value)
    return _domain(value)


def parse_network(value: str, *, allow_loopback: bool = False) -> Network:
    """Return the network that an address or a CIDR stands for; of IPv6 at least a /64.

    Raises Invalid for `value`.
    """
    try:
        if "%" in value:  # the zone of one machine
            raise ValueError
        network = ip_addresses.parse_network(value, strict=False)
    except ValueError:
        raise Invalid(
            "value", "must be an IP address or a network such as 192.0.2.0/24 or 2001:db8::/48"
        ) from None
    if network.version == 6:
        network = network.supernet(new_prefix=min(network.prefixlen, SUBSCRIBER))
    widest = WIDEST[network.version]
    if network.prefixlen < widest:
        reason = Message("must not be wider than /%(widest)d: too many share it", widest=widest)
        raise Invalid("value", reason)
    loopback = ip_network("127.0.0.0/8" if network.version == 4 else "::1/128")
    if not allow_loopback and network.overlaps(loopback):
        raise Invalid(
            "value",
            "holds the addresses of the machine itself, from which a proxy may send all requests; "
            "`force` blocks it all the same",
        )
    return network


def parse_address(address: str) -> tuple[int, int] | None:
    """Return the version (4 or 6) and the number of a client's address; None if it is none."""
    try:
        parsed = ip_addresses.parse_address(address)
    except ValueError:
        return None
    return parsed.version, int(parsed)


def normal_email(email: str) -> str | None:
    """Return an email address in the form in which all its variants are equal; None if it is none.

    That is its key, without dots and `+tag` where the host is known to ignore them.
    """
    key = email_key(email)
    if key is None:
        return None
    name, _, domain = key.partition("@")
    domain = _SAME_HOST.get(domain, domain)
    if domain in _TAGS:
        name = name.partition("+")[0] or name
    if domain in _WITHOUT_DOTS:
        name = name.replace(".", "") or name
    return f"{name}@{domain}"


def email_digest(secret: str, email: str) -> str:
    """Return the keyed hash of an email address, the same for all its variants.

    It is what is kept of the address of an erased person. secret: `session.secret`.
    """
    text = f"erased email {normal_email(email) or email}".encode("utf-8", "surrogatepass")
    return f"hmac-sha256:{hmac.new(secret.encode(), text, sha256).hexdigest()}"


def domain_and_parents(domain: str) -> list[str]:
    """Return a domain and those that it is a subdomain of."""
    labels = domain.split(".")
    return [".".join(labels[start:]) for start in range(len(labels) - 1)]


def _email(value: str) -> str:
    result = normal_email(value)
    if result is None or len(result) > MAX_VALUE:
        raise Invalid("value", "must be an email address such as name@example.org")
    return result


def _domain(value: str) -> str:
    result = normal_domain(value.removeprefix("@").removeprefix("*."))
    if result is None or len(result) > MAX_VALUE:
        raise Invalid("value", "must be a domain such as example.org")
    return result
