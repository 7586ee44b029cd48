"""Which addresses the service may call for others: none inside the operator's network.

Otherwise whoever registers a webhook could reach services that only trust their own network
(server-side request forgery). A URL is checked when it is registered, and the addresses of its host
at each attempt, because the name may lead elsewhere by then. The connection has to go to an address
that was checked, not to the name.
"""

import ipaddress
import re
import socket
from typing import NamedTuple
from urllib.parse import urlsplit

_MIN_PORT = 1024
_DEFAULT_PORTS = {"https": 443, "http": 80}
_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
_UNICAST = ipaddress.IPv6Network("2000::/3")
_DOCUMENTATION = ipaddress.IPv6Network("3fff::/20")
"""RFC 9637; Python before 3.13 takes it for public."""
_IETF_PROTOCOLS = ipaddress.IPv4Network("192.0.0.0/24")
"""RFC 6890; Python before 3.13 takes most of it for public, and a cloud has its metadata there."""
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\.?|[0-9a-f:.]{2,45}", re.IGNORECASE)
_NOT_IN_URLS = re.compile(r"[^!-~]")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class ForbiddenAddress(ValueError):
    """The service may not call it. The message says why and follows the name of the URL."""


class Target(NamedTuple):
    """The server of a URL. host: a name without a final dot, or an address without brackets."""

    scheme: str
    host: str
    port: int

    @property
    def authority(self) -> str:
        """The value of the header Host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


def parse_url(url: str, *, allow_private: bool) -> Target:
    """Return the server of a webhook's URL.

    allow_private: whether http, every port and private addresses are allowed, as in development.
    Raises ForbiddenAddress. Does not look the host up.
    """
    if _NOT_IN_URLS.search(url):
        raise ForbiddenAddress("must have no blanks, control or non-ASCII characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ForbiddenAddress("must be a URL with a valid host and port") from None
    allowed = ("https", "http") if allow_private else ("https",)
    if parts.scheme not in allowed:
        beginnings = " or ".join(f"{scheme}://" for scheme in allowed)
        raise ForbiddenAddress(f"must begin with {beginnings}")
    if parts.username is not None or parts.password is not None:
        raise ForbiddenAddress("must contain no user and no password")
    if not parts.hostname or not _HOST.fullmatch(parts.hostname):
        raise ForbiddenAddress("must have the name or the address of a host")
    port = _DEFAULT_PORTS[parts.scheme] if port is None else port
    if not allow_private and port != _DEFAULT_PORTS["https"] and port < _MIN_PORT:
        raise ForbiddenAddress(f"must have the port 443, or one from {_MIN_PORT} on")
    literal = _literal(parts.hostname)
    if literal is not None and not allow_private and not is_public(literal):
        raise ForbiddenAddress("must not be a private or reserved address")
    return Target(parts.scheme, parts.hostname.removesuffix("."), port)


def resolve(target: Target, *, allow_private: bool) -> str:
    """Look a host up and return the address to connect to.

    Raises ForbiddenAddress if any of its addresses is not public, OSError if it has none.
    """
    result = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = [str(item[4][0]).partition("%")[0] for item in result]
    if not allow_private:
        for address in addresses:
            if not is_public(ipaddress.ip_address(address)):
                raise ForbiddenAddress("leads to a private or reserved address")
    return addresses[0]


def is_literal(host: str) -> bool:
    """Return whether a host is an address, which needs no look-up."""
    return _literal(host) is not None


def is_public(address: Address) -> bool:
    """Return whether an address is one of the public internet, for one receiver."""
    if isinstance(address, ipaddress.IPv6Address):
        embedded = _embedded(address)
        if embedded is not None:
            return is_public(embedded)
        if address not in _UNICAST or address in _DOCUMENTATION:
            return False
    elif address in _IETF_PROTOCOLS:
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def _embedded(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that a mapped, 6to4, Teredo or NAT64 address leads to."""
    if address.teredo is not None:
        return address.teredo[1]
    if any(address in network for network in _NAT64):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def _literal(host: str) -> Address | None:
    """Return the address that a host is, in any spelling that the system's resolver takes."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        # `2130706433`, `0x7f.1` and `0177.0.0.1` are addresses, too.
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        return None
