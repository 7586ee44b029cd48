"""Check of the email delivery: it connects to the SMTP server, but sends no message."""

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
        sender: str = settings["mail.sender"]
        is_local = sender.endswith(("@localhost", "@localhost.localdomain"))
        if is_local and settings["site.environment"] == "production":
            yield error(
                f"mail.sender: other mail servers refuse mail from {sender}; it must be an address "
                "of a domain of yours"
            )
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
    try:
        delivery.check()
    except (OSError, ValueError) as failure:
        yield error(f"mail.host: {where} cannot be used: {type(failure).__name__}: {failure}")
