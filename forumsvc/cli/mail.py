"""`forumsvc mail …`: emails that wait or failed, and a test of the mail server."""

from datetime import datetime

import click

from .. import clock
from ..models import MailKind, MailState
from ..services import mails
from .command import Group
from .context import CommandError, Context, pass_context

_HEADERS = ("Id", "Kind", "State", "Attempts", "Created", "Due", "Error")
_MOST = 1000


@click.group(cls=Group)
def mail() -> None:
    """List and retry emails, and test the mail server."""


@mail.command("list")
@click.option("--state", type=click.Choice([str(state) for state in MailState]), help="Only these.")
@click.option("--addresses", is_flag=True, help="Show the recipients, too.")
@click.option(
    "--limit",
    type=click.IntRange(1, _MOST),
    default=100,
    show_default=True,
    help="At most so many.",
)
@pass_context
def list_(context: Context, state: str | None, addresses: bool, limit: int) -> None:
    """List the newest emails: waiting, sent, and given up."""
    chosen = None if state is None else MailState(state)
    with context.current_database().reads.connect() as db:
        found = mails.newest(db, chosen, limit)
    listed = [
        {
            "id": row.id,
            "kind": row.kind,
            "state": row.state,
            "attempts": row.attempts,
            "created_at": _time(row.created_at),
            "due_at": _time(row.due_at if row.state == MailState.WAITING else None),
            "error": row.error,
            **({"recipient": row.recipient} if addresses else {}),
        }
        for row in found
    ]
    headers = (*_HEADERS, *(("Recipient",) if addresses else ()))
    rows = [tuple(one.values()) for one in listed]
    context.output_table(headers, rows, "There are no emails.", mails=listed)


@mail.command()
@click.argument("mail_id", metavar="ID", type=int)
@pass_context
def retry(context: Context, mail_id: int) -> None:
    """Try an unsent email again at once. `mail list` shows the ids."""
    with context.transaction() as db:
        mails.retry(db, mail_id, clock.now())
    context.output(f"Email {mail_id} is due now.", id=mail_id)


@mail.command()
@click.argument("address")
@pass_context
def test(context: Context, address: str) -> None:
    """Send a test to an address, at once, and say what the mail server answered."""
    from email.errors import MessageError
    from email.utils import make_msgid

    from ..mail import create_delivery, texts
    from ..mail.message import create_message

    settings = context.settings
    delivery = create_delivery(settings, context.ini_dir)
    if delivery is None:
        raise CommandError("mail.delivery is none: the service sends no email.")
    sender = settings["mail.sender"]
    message_id = make_msgid(domain=sender.partition("@")[2])
    made = texts.render(MailKind.TEST, settings["site.language"], site_name=settings["site.name"])
    try:
        message = create_message(sender, address, *made, message_id=message_id, sent_at=clock.now())
    except (MessageError, ValueError, IndexError):
        raise click.UsageError(f"{address!r} is not the address of one recipient.") from None
    try:
        code = delivery.deliver(message)
    except (OSError, ValueError) as error:
        raise CommandError(f"The email was not sent: {type(error).__name__}: {error}") from None
    where = settings["mail.dir"] if code is None else f"the mail server, which answered {code}"
    context.output(f"{message_id} was handed to {where}.", message_id=message_id, code=code)


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else clock.rfc3339(moment)
