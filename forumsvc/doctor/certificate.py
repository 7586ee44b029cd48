"""The certificate that a host shows for HTTPS."""

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from .. import clock
from ..diagnostics import Problem
from ..diagnostics.problem import error, warning
from .times import words

_SOON = timedelta(days=21)
_EXPIRED = 10
"""X509_V_ERR_CERT_HAS_EXPIRED of OpenSSL."""


def check(host: str, port: int, timeout: float) -> Iterator[Problem]:
    """Yield what is wrong with the certificate, or will be soon.

    timeout: in seconds, for each step. Raises OSError if the host cannot be reached or does not
    speak TLS.
    """
    context = ssl.create_default_context()
    try:
        with (
            socket.create_connection((host, port), timeout) as connection,
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
