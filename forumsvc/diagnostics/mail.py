"""Check of the email delivery: it connects to the SMTP server, but sends no message."""

import ipaddress
import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

from ..mail import SmtpDelivery, create_delivery
from ..settings import Settings
from .folders import temporary_folder
from .problem import Problem, error


def check(settings: Settings, ini_dir: Path) -> Iterator[Problem]:
    """Yield why email could not be delivered. ini_dir: the folder of the ini file."""
    delivery = create_delivery(settings, ini_dir)
    if isinstance(delivery, SmtpDelivery):
        yield from _check_smtp(delivery)
    elif delivery is not None:
        try:
            with (
                temporary_folder(ini_dir / settings["mail.dir"]) as folder,
                TemporaryFile(dir=folder) as probe,
            ):
                probe.write(b"probe")
        except OSError as failure:
            yield error(f"mail.dir: {settings['mail.dir']!r} cannot be written: {failure}")


def _check_smtp(delivery: SmtpDelivery) -> Iterator[Problem]:
    where = f"{delivery.host}:{delivery.port}"
    if delivery.user and delivery.security == "none" and not _is_loopback(delivery.host):
        # Do not try it: the login would send the password.
        yield error(
            f"mail.security: none sends the password of mail.user unencrypted to {where}; "
            "it must be starttls or tls"
        )
        return
    try:
        delivery.check()
    except (OSError, ValueError) as failure:
        yield error(f"mail.host: {where} cannot be used: {type(failure).__name__}: {failure}")


def _is_loopback(host: str) -> bool:
    """Return whether all addresses of a host are loopback addresses."""
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return all(ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in found)
