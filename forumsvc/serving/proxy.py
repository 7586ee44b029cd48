"""The client's address: behind a trusted proxy the one that the proxy names, in its normal form."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from waitress.proxy_headers import proxy_headers_middleware

from forumsvc.text.ip_addresses import parse_address, parse_network

_EVERYBODY = tuple(map(parse_network, ("0.0.0.0/0", "::/0")))
_THIS_MACHINE = tuple(map(parse_network, ("127.0.0.0/8", "::1/128")))
_NAMES = {"*": _EVERYBODY, "localhost": _THIS_MACHINE}
_UNIX_SOCKET = "localhost"
"""What waitress gives as the address of a client at a Unix socket."""
_CACHED = 4096
"""How many addresses of clients are parsed only once."""

Application = Callable[..., Any]


class TrustedProxy:
    """Who is believed about the addresses of clients: `proxy_address in trusted_proxy`."""

    def __init__(self, value: str | None) -> None:
        """Parse an address, a network, `localhost`, or `*` for everybody; None for nobody.

        Raises ValueError for anything else, such as the name of a host.
        """
        self._networks = () if value is None else _NAMES.get(value) or (parse_network(value),)
        self._is_trusted = lru_cache(_CACHED)(self._find)

    def __contains__(self, address: str) -> bool:
        return self._is_trusted(address)

    def _find(self, address: str) -> bool:
        if address == _UNIX_SOCKET:
            address = "127.0.0.1"
        try:
            ip = parse_address(normal_address(address))
        except ValueError:
            return False
        return any(ip in network for network in self._networks)

    @property
    def is_everybody(self) -> bool:
        """Whether any client of IPv4 or IPv6 is believed."""
        return any(network.prefixlen == 0 for network in self._networks)


@lru_cache(_CACHED)
def normal_address(text: str) -> str:
    """Return an IP address in the one form that limits and access blocks count by.

    Brackets and a port are left out, and IPv4 within IPv6 (`::ffff:192.0.2.1`, which a proxy
    listening on both names) is IPv4. What is no address is returned as it is.
    """
    host = text.strip().strip('"')
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        return str(parse_address(host))
    except ValueError:
        return text


def with_client_address(app: Application, trusted: TrustedProxy, adj: Any) -> Application:
    """Return a WSGI application whose `REMOTE_ADDR` is the client's normal address.

    trusted: whose headers are believed, which waitress reads; adj: waitress's settings.
    """

    def with_normal_address(environ: dict[str, Any], start_response: Any) -> Any:
        environ["REMOTE_ADDR"] = environ["REMOTE_HOST"] = normal_address(environ["REMOTE_ADDR"])
        return app(environ, start_response)

    def with_headers_of(trusted_proxy: str | None) -> Application:
        middleware: Application = proxy_headers_middleware(
            with_normal_address,
            trusted_proxy=trusted_proxy,
            trusted_proxy_count=adj.trusted_proxy_count,
            trusted_proxy_headers=adj.trusted_proxy_headers,
            clear_untrusted=adj.clear_untrusted_proxy_headers,
            log_untrusted=adj.log_untrusted_proxy_headers,
        )
        return middleware

    believing, doubting = with_headers_of("*"), with_headers_of(None)

    def application(environ: dict[str, Any], start_response: Any) -> Any:
        if environ["REMOTE_ADDR"] not in trusted:
            return doubting(environ, start_response)
        if (hops := environ.get("HTTP_X_FORWARDED_FOR")) is not None:
            # waitress takes what follows the last colon of an address with a dot for a port.
            environ["HTTP_X_FORWARDED_FOR"] = ",".join(map(normal_address, hops.split(",")))
        return believing(environ, start_response)

    return application
