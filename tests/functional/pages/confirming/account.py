"""An account whose address has to be confirmed."""

from typing import Any

from sqlalchemy import select

from forumsvc.models import User
from tests.functional.forum import Caller, Forum
from tests.functional.pages.visitor import PASSWORD, Mail

GOOD = {"login": "Nina", "email": "nina@example.org", "password": PASSWORD}
NEW = "nina@example.com"


def link(mail: Mail) -> str:
    """Return the link of the latest message, as a path."""
    words = mail()[-1].get_content().split()
    address = next(word for word in words if "://" in word)
    assert address.startswith("http://localhost/settings/email/confirm?confirmation_token=")
    return address.removeprefix("http://localhost")


def caller_of(forum: Forum, login: str = "nina") -> Caller:
    """Return a client of the API for an account."""
    return forum.caller(forum.token(row_of(forum, login).id))


def row_of(forum: Forum, login: str = "nina") -> Any:
    """Return the row of an account."""
    with forum.database.reads.connect() as db:
        return db.execute(select(User.__table__).where(User.login_key == login)).one()


def can_write(nina: Caller, node: int) -> bool:
    """Return whether somebody may open a topic."""
    answer = nina.post("/topics", title="T", node_id=node, body="B")
    assert answer.status_int in {201, 403}
    return answer.status_int == 201
