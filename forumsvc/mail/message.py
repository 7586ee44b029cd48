"""Making an email message."""

from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime


def create_message(
    sender: str, recipient: str, subject: str, text: str, *, message_id: str, sent_at: datetime
) -> EmailMessage:
    """Return a message (RFC 5322) for one recipient.

    Raises ValueError, IndexError or MessageError if the recipient is not one valid address.
    """
    message = EmailMessage()
    message["From"] = sender
    # Not as a string: a comma in it would make two recipients.
    message["To"] = Address(addr_spec=recipient)
    message["Subject"] = subject
    message["Date"] = format_datetime(sent_at)
    message["Message-ID"] = message_id
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    return message
