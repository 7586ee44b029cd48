"""Interpreting SMTP errors (RFC 5321 §4.2), without their texts, which may contain addresses."""

import smtplib
import socket

_MESSAGE_REFUSED = (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError)


def reply_codes(error: Exception) -> list[int]:
    """Return the SMTP reply codes of an error; an empty list if no server has responded."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return sorted({code for code, _ in error.recipients.values()})
    return [error.smtp_code] if isinstance(error, smtplib.SMTPResponseException) else []


def describe(error: Exception) -> str:
    """Return the class of an error and its reply codes: `SMTPDataError 554`."""
    return " ".join([type(error).__name__, *map(str, reply_codes(error))])


def is_permanent(error: Exception) -> bool:
    """Return whether a retry is useless: 5xx for the sender, the recipient or the content.

    A rejected login or greeting is not permanent: it concerns all messages, and an administrator
    can correct it.
    """
    codes = reply_codes(error)
    is_login_wanted = isinstance(error, smtplib.SMTPSenderRefused) and 530 in codes
    is_refused = isinstance(error, _MESSAGE_REFUSED) and not is_login_wanted
    return is_refused and all(code >= 500 for code in codes)


def is_recipient_refused(error: Exception) -> bool:
    """Return whether the server refuses the address for good (5xx after RCPT)."""
    return isinstance(error, smtplib.SMTPRecipientsRefused) and is_permanent(error)


def was_not_taken(error: Exception) -> bool:
    """Return whether nobody can have the message: nobody answered, or the server refused it."""
    return bool(reply_codes(error)) or isinstance(error, (ConnectionRefusedError, socket.gaierror))
