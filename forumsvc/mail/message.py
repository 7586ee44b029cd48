"""Making an email message."""

from collections.abc import Mapping
from datetime import datetime
from email.header import Header
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime
from types import MappingProxyType
from typing import Any

from ..text.email_addresses import ascii_address


class NoAsciiAddress(ValueError):
    """An address to which no email can be sent."""

    def __init__(self) -> None:
        super().__init__("the address has other letters than ASCII before the @")


_AS_WRITTEN = ("List-Unsubscribe", "List-Unsubscribe-Post", "List-Id", "References")
"""Headers of ours alone, in ASCII: a program that reads an address in them wants it unbroken."""


class _Policy(EmailPolicy):
    """Writes subjects so that what a reader decodes is what was written (RFC 2047 §6.2), and some
    other headers as they are.

    The folding of `EmailPolicy` loses blanks between two encoded words before Python 3.12.4. And it
    decodes what looks like an encoded word when a header is set: a line break in that would begin
    another header.
    """

    def header_store_parse(self, name: str, value: Any) -> tuple[str, Any]:
        """Return a header as it is kept. Raises ValueError for a line break in a subject."""
        if name != "Subject" and name not in _AS_WRITTEN:
            return super().header_store_parse(name, value)
        if len(value.splitlines()) > 1:
            raise ValueError("a header is one line")
        return name, value

    def fold(self, name: str, value: Any) -> str:
        """Return a header with line ends, most in lines of at most 78 characters."""
        if name in _AS_WRITTEN:
            return f"{name}: {value}{self.linesep}"
        is_plain = str(value).isascii() and "=?" not in value
        if name != "Subject" or is_plain:
            return super().fold(name, value)
        header = Header(str(value), "utf-8", self.max_line_length, name)
        return f"{name}: {header.encode(linesep=self.linesep)}{self.linesep}"

    def fold_binary(self, name: str, value: Any) -> bytes:
        """Return the same as bytes: all headers are in ASCII."""
        return self.fold(name, value).encode("ascii")


_POLICY = _Policy()


def list_id(name: str, host: str) -> str:
    """Return the value of List-Id (RFC 2919). name: what people wrote, of any letters."""
    encoded = Header(name, "utf-8", 60).encode(linesep="") if name.strip() else ""
    is_plain = all(letter.isascii() and (letter.isalnum() or letter == " ") for letter in name)
    phrase = f'"{name}"' if is_plain and name.strip() else encoded
    return f"{phrase} <{host}>".strip()


def create_message(
    sender: str,
    recipient: str,
    subject: str,
    text: str,
    *,
    message_id: str,
    sent_at: datetime,
    html: str | None = None,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> EmailMessage:
    """Return a message (RFC 5322) for one recipient, all of whose header is in ASCII.

    html: another form of the text; headers: further ones, of ours alone.
    Raises NoAsciiAddress; ValueError, IndexError or MessageError if the recipient is not one valid
    address.
    """
    in_ascii = ascii_address(recipient)
    if in_ascii is None:
        raise NoAsciiAddress
    message = EmailMessage(_POLICY)
    message["From"] = sender
    # Not as a string: a comma in it would make two recipients.
    message["To"] = Address(addr_spec=in_ascii)
    message["Subject"] = subject
    message["Date"] = format_datetime(sent_at)
    message["Message-ID"] = message_id
    message["Auto-Submitted"] = "auto-generated"
    for name, value in headers.items():
        message[name] = value
    message.set_content(text)
    if html is not None:
        message.add_alternative(html, subtype="html")
    return message
