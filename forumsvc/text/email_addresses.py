"""Email addresses: what is one, and by what form two of them are compared.

An address is the plain `addr-spec` of RFC 5322 and RFC 6531: no comments, no quotes, no address of
a machine in place of a domain. Those are further spellings of the same mailbox, which would pass a
block and every count of emails.
"""

import re

import idna

from .messages import Message
from .unicode_forms import normalized

MAX_EMAIL = 255
NOT_AN_EMAIL = Message("must be an address such as name@example.org")
NO_MAIL = Message("must have ASCII letters before the @: no email could be sent to it")

_MAX_LABEL = 63
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\xa1-\ud7ff\ue000-\U0010ffff-]+"
_LOCAL_PART = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")


def email_key(email: str) -> str | None:
    """Return the form in which accounts and logins compare an address; None if it is none.

    Case never counts, and a domain is in ASCII (IDNA 2008).
    """
    if len(email) > MAX_EMAIL:
        return None
    name, _, host = email.strip().rpartition("@")
    name = normalized("NFC", name.lower())
    domain = normal_domain(host)
    if domain is None or host.endswith(".") or host != host.strip():
        return None
    if not _LOCAL_PART.fullmatch(name) or any(map(str.isspace, name)):
        return None
    key = f"{name}@{domain}"
    return key if len(key) <= MAX_EMAIL else None


def ascii_address(email: str) -> str | None:
    """Return an address as an email names it, in ASCII; None if there is no such form.

    The domain is in A-labels (RFC 5890). Letters outside ASCII before the @ need SMTPUTF8
    (RFC 6531), which few mail servers have, so no email is sent there.
    """
    if email.isascii():
        return email
    name, _, host = email.strip().rpartition("@")
    domain = normal_domain(host)
    return f"{name}@{domain}" if domain is not None and name.isascii() else None


def normal_domain(domain: str) -> str | None:
    """Return a domain in lower case and in ASCII (IDNA 2008, UTS #46); None if it is none."""
    try:
        mapped = idna.uts46_remap(domain.strip().rstrip("."), std3_rules=False)
        labels = [_a_label(label) for label in mapped.split(".")]
    except UnicodeError:
        return None
    is_domain = len(labels) > 1 and all(
        len(label) <= _MAX_LABEL and label.replace("-", "").replace("_", "").isalnum()
        for label in labels
    )
    # What ends in a number is an IP address.
    return ".".join(labels) if is_domain and not labels[-1].isdigit() else None


def _a_label(label: str) -> str:
    if label.isascii():
        return label
    try:
        return idna.alabel(label).decode("ascii")
    except idna.IDNAError:
        # An emoji: no domain of IDNA 2008, but there are some, and browsers know them.
        return f"xn--{label.encode('punycode').decode('ascii')}"
