"""Emails that wait, or were given up."""

from collections.abc import Iterator
from datetime import timedelta

from .. import clock
from ..diagnostics import Problem
from ..diagnostics.problem import warning
from ..services import mails
from .installation import Installation
from .times import WEEK, age, words

_LATE = timedelta(minutes=10)


def check(installation: Installation) -> Iterator[Problem]:
    """Yield what keeps emails from their recipients."""
    with installation.database.reads.connect() as db:
        waiting = mails.waiting(db)
        given_up = mails.given_up_since(db, clock.now() - WEEK)
    if waiting.number and installation.settings["mail.delivery"] == "none":
        yield warning(
            f"Emails that wait: {waiting.number}. mail.delivery = none sends none: set it."
        )
    elif age(waiting.oldest_at) > _LATE:
        yield warning(
            f"Emails that wait: {waiting.number}, the oldest for {words(age(waiting.oldest_at))}. "
            "`forumsvc mail list --state waiting` shows why, `forumsvc mail test ADDRESS` tries."
        )
    if given_up:
        yield warning(
            f"Emails given up in the last seven days: {given_up}. `forumsvc mail list --state "
            "failed` shows why, `forumsvc mail retry ID` sends one again."
        )
