"""The address of the service: HTTPS, reachable, and known to the service itself."""

import ipaddress
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import SplitResult, urlsplit

import urllib3
from urllib3.exceptions import HTTPError

from .. import clock
from ..errors import single_line_message
from ..serving.options import Options
from .finding import Finding, error, info, warning
from .installation import Installation
from .times import words

_SECONDS = 5.0
_SOON = timedelta(days=21)
_EXPIRED = 10
"""X509_V_ERR_CERT_HAS_EXPIRED of OpenSSL."""
_ALIVE = "/health/live"


def check(installation: Installation) -> Iterator[Finding]:
    """Yield what is wrong between the clients and the service."""
    url: str = installation.settings["site.url"]
    if not url:
        yield info("site.url is not set: whether clients reach the service is not examined.")
        return
    parts = urlsplit(url)
    if _is_loopback(parts.hostname or ""):
        kind = info if installation.settings["site.environment"] == "development" else warning
        yield kind(f"site.url, {url}, is an address of this machine: no other machine reaches it.")
    else:
        yield from _check_security(parts, installation.options)
    try:
        if parts.scheme == "https":
            problems = [*_check_certificate(parts.hostname or "", parts.port or 443)]
            yield from problems
            if any(problem.level == "error" for problem in problems):
                return
        yield from _check_answers(url)
    except (HTTPError, OSError) as failure:
        cause = failure.__cause__ if isinstance(failure.__cause__, OSError) else failure
        yield error(
            f"{url} cannot be reached from here: {single_line_message(cause)}. Check the name, the "
            "port, the proxy and the firewall; a host that cannot reach its own public address "
            "needs a line in /etc/hosts."
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _check_security(parts: SplitResult, options: Options | None) -> Iterator[Finding]:
    if parts.scheme != "https":
        yield warning(
            "site.url begins with http://: passwords and tokens cross the network for all to read, "
            "and mail programs show no button to unsubscribe. Let a proxy speak HTTPS (proxy.md), "
            "and set site.url to https://…"
        )
    elif options is not None and not _knows_clients(options):
        yield warning(
            "trusted_proxy and trusted_proxy_headers of [server:main] do not let the proxy say who "
            "calls: all clients have the proxy's address, so they share the limits of one. Set "
            "them as in `forumsvc config print production.ini`."
        )


def _knows_clients(options: Options) -> bool:
    headers = {name.lower() for name in options.address.trusted_proxy_headers}
    return bool(options.address.trusted_proxy) and bool(headers & {"x-forwarded-for", "forwarded"})


def _check_certificate(host: str, port: int) -> Iterator[Finding]:
    """Raises OSError if the host cannot be reached or does not speak TLS."""
    context = ssl.create_default_context()
    try:
        with (
            socket.create_connection((host, port), _SECONDS) as connection,
            context.wrap_socket(connection, server_hostname=host) as secured,
        ):
            certificate = secured.getpeercert() or {}
    except ssl.SSLCertVerificationError as failure:
        if failure.verify_code == _EXPIRED:
            yield error(f"The certificate of {host} has expired: renew it, and reload the proxy.")
        else:
            yield error(
                f"The certificate of {host} is not accepted: {failure.verify_message}. Check the "
                "names in it and its chain, and reload the proxy."
            )
        return
    end = datetime.fromtimestamp(ssl.cert_time_to_seconds(str(certificate["notAfter"])), UTC)
    left = end - clock.now()
    if left < _SOON:
        yield warning(
            f"The certificate of {host} ends in {words(left)}, on {end:%Y-%m-%d}: look why it was "
            "not renewed, and reload the proxy after its renewal."
        )


def _check_answers(url: str) -> Iterator[Finding]:
    """Raises HTTPError if nothing answers."""
    with urllib3.PoolManager(timeout=_SECONDS, retries=False) as http:
        alive = http.request("GET", url + _ALIVE, redirect=False)
        if alive.status != 200:
            where = alive.headers.get("Location")
            answer = f"{alive.status} and leads to {where}" if where else f"{alive.status}"
            yield error(
                f"{url}{_ALIVE} answers {answer}: it must be 200 of this service. Look at "
                "site.url, at the proxy's configuration, and whether it asks the address of "
                "`listen` (proxy.md)."
            )
