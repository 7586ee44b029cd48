"""Making an email message."""

from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime

from ..email_addresses import ascii_address


class NoAsciiAddress(ValueError):
    """An address to which no email can be sent."""

    def __init__(self) -> None:
        super().__init__("the address has other letters than ASCII before the @")


def create_message(
    sender: str, recipient: str, subject: str, text: str, *, message_id: str, sent_at: datetime
) -> EmailMessage:
    """Return a message (RFC 5322) for one recipient, all of whose header is in ASCII.

    Raises NoAsciiAddress; ValueError, IndexError or MessageError if the recipient is not one valid
    address.
    """
    in_ascii = ascii_address(recipient)
    if in_ascii is None:
        raise NoAsciiAddress
    message = EmailMessage()
    message["From"] = sender
    # Not as a string: a comma in it would make two recipients.
    message["To"] = Address(addr_spec=in_ascii)
    message["Subject"] = subject
    message["Date"] = format_datetime(sent_at)
    message["Message-ID"] = message_id
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    return message
