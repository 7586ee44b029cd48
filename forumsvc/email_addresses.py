"""Email addresses: what is one, and by what form two of them are compared.

An address is the plain `addr-spec` of RFC 5322 and RFC 6531: no comments, no quotes, no address of
a machine in place of a domain. Those are further spellings of the same mailbox, which would pass a
block and every count of emails.
"""

import re

from .texts import Message
from .unicode_forms import normalized

MAX_EMAIL = 255
NOT_AN_EMAIL = Message("must be an address such as name@example.org")

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\xa1-\ud7ff\ue000-\U0010ffff-]+"
_LOCAL_PART = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")


def email_key(email: str) -> str | None:
    """Return the form in which accounts and logins compare an address; None if it is none.

    Case never counts, and a domain is in ASCII (IDNA).
    """
    if len(email) > MAX_EMAIL:
        return None
    name, _, host = normalized("NFC", email.strip().lower()).rpartition("@")
    domain = normal_domain(host)
    if domain is None or host.endswith(".") or host != host.strip():
        return None
    if not _LOCAL_PART.fullmatch(name) or any(map(str.isspace, name)):
        return None
    key = f"{name}@{domain}"
    return key if len(key) <= MAX_EMAIL else None


def normal_domain(domain: str) -> str | None:
    """Return a domain in lower case and in ASCII (IDNA); None if it is none."""
    try:
        found = domain.strip().rstrip(".").lower().encode("idna").decode("ascii")
    except UnicodeError:
        return None
    labels = found.split(".")
    is_domain = len(labels) > 1 and all(
        label.replace("-", "").replace("_", "").isalnum() for label in labels
    )
    # What ends in a number is an IP address.
    return found if is_domain and not labels[-1].isdigit() else None
