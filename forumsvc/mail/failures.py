"""What a mail server's refusal means (RFC 5321 §4.2), without the text that may hold an address."""

import smtplib

_MESSAGE_REFUSED = (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError)


def reply_codes(error: Exception) -> list[int]:
    """Return the reply codes of an error; none where no server has answered."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return sorted({code for code, _ in error.recipients.values()})
    return [error.smtp_code] if isinstance(error, smtplib.SMTPResponseException) else []


def describe(error: Exception) -> str:
    """Return the class of an error and its reply codes: `SMTPDataError 554`."""
    return " ".join([type(error).__name__, *map(str, reply_codes(error))])


def is_permanent(error: Exception) -> bool:
    """Return whether the message will be refused again: 5xx for its sender, recipient or content.

    A refused log-in or greeting is none: it concerns all messages, and an administrator mends it.
    """
    return isinstance(error, _MESSAGE_REFUSED) and all(code >= 500 for code in reply_codes(error))
