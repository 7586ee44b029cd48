"""The proof of who somebody is, whatever the means."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Authentication:
    """A user was recognized.

    user_id: who; means: how, such as `password`; at: when. Of a means whose proof may end before
    the session begins, or whose log-ins are counted, a subclass says so.
    """

    user_id: int
    means: str
    at: datetime

    def is_still_valid(self, password_hash: str | None) -> bool:
        """Return whether it holds for the user, whose row is locked.

        password_hash: the present one of the user.
        """
        return True

    def record(self, db: Session) -> None:
        """Record the log-in, in the transaction that makes a session or token of it."""
