"""Whom an administrator invites: addresses as people paste them, and logins made of them."""

import re
from collections.abc import Callable
from typing import NamedTuple

from ...errors import Invalid
from ...text.messages import Clause, Message
from .accounts import check_email
from .login_names import check_login, check_own_login

FIELD = "people"
MOST = 50
"""How many people one list may name."""

_ENTRY = re.compile(r'(?:(?<![^\s,;])([^\s,;<>"()@]+)[ \t]+)?([^\s,;<>"()]+@[^\s,;<>"()]*)')
_NOT_IN_LOGINS = re.compile(r"[^a-z0-9_.-]+")
_MAX_LOGIN = 20
_WITHOUT_NAME = "member"
_MAX_SHOWN = 60


class Invitee(NamedTuple):
    """Somebody to invite. login: None where it has to be made of the address."""

    login: str | None
    email: str


def read_invitees(text: str) -> list[Invitee]:
    """Return whom a list names, each address once.

    Addresses stand in lines of their own, or behind commas or semicolons; one in brackets may have
    a name before it, as mail programs copy them. A word before an address without brackets is the
    login. Raises Invalid for `people` if a line names nobody, an address or a login is not valid,
    or there are too many.
    """
    found: dict[str, Invitee] = {}
    for line in filter(str.strip, text.splitlines()):
        entries = _ENTRY.findall(line)
        if not entries:
            raise Invalid(FIELD, Clause("%(line)r has no email address", line=_shortened(line)))
        for login, address in entries:
            found.setdefault(address.lower(), _checked(login, address))
    if not found:
        raise Invalid(FIELD, "must not be empty")
    if len(found) > MOST:
        raise Invalid(FIELD, Message("must be at most %(most)d addresses", most=MOST))
    return list(found.values())


def invalid_entry(word: str, reason: str) -> Invalid:
    """Return the error of one address or login of the list."""
    why = reason if isinstance(reason, Message) else Message(reason)
    return Invalid(FIELD, Clause("%(word)r %(reason)s", word=_shortened(word), reason=why))


def make_login(email: str, is_free: Callable[[str], bool]) -> str:
    """Return a login for whoever has an address, made of what stands before the `@`.

    is_free: whether nobody has a login.
    """
    name = email.lower().partition("@")[0].partition("+")[0]
    base = _NOT_IN_LOGINS.sub("-", name)[:_MAX_LOGIN].strip("-.")
    if not _may_be_chosen(base):
        base = _WITHOUT_NAME
    login, number = base, 1
    while not is_free(login):
        number += 1
        login = f"{base[: _MAX_LOGIN - len(str(number))]}{number}"
    return login


def _checked(login: str, email: str) -> Invitee:
    try:
        return Invitee(check_login(login) if login else None, check_email(email))
    except Invalid as error:
        raise invalid_entry(login if error.field == "login" else email, error.reason) from None


def _shortened(text: str) -> str:
    return text.strip()[:_MAX_SHOWN]


def _may_be_chosen(login: str) -> bool:
    try:
        check_own_login(login)
    except Invalid:
        return False
    return True
