"""`forumsvc mail …`: a test of the mail server."""

import click

from .. import clock
from ..models import MailKind
from .command import Group
from .context import CommandError, Context, pass_context

mail = Group("mail")


@mail.command()
@click.argument("address")
@pass_context
def test(context: Context, address: str) -> None:
    """Send a test to an address, at once, and say what the mail server answered."""
    from email.errors import MessageError
    from email.utils import make_msgid

    from ..mail import create_delivery, texts
    from ..mail.message import NoAsciiAddress, create_message

    settings = context.settings
    delivery = create_delivery(settings, context.ini_dir)
    if delivery is None:
        raise CommandError("mail.delivery is none: the service sends no email.")
    sender = settings["mail.sender"]
    message_id = make_msgid(domain=sender.partition("@")[2])
    made = texts.render(MailKind.TEST, settings["site.language"], site_name=settings["site.name"])
    try:
        message = create_message(sender, address, *made, message_id=message_id, sent_at=clock.now())
    except NoAsciiAddress as error:
        raise click.UsageError(f"No email can be sent to {address!r}: {error}.") from None
    except (MessageError, ValueError, IndexError):
        raise click.UsageError(f"{address!r} is not the address of one recipient.") from None
    try:
        code = delivery.deliver(message)
    except (OSError, ValueError) as error:
        raise CommandError(f"The email was not sent: {type(error).__name__}: {error}") from None
    where = settings["mail.dir"] if code is None else f"the mail server, which answered {code}"
    context.output(f"{message_id} was handed to {where}.", message_id=message_id, code=code)
