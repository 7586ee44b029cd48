"""Which accounts stay though nobody has confirmed their address."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, select

from forumsvc import clock
from forumsvc.models import OAuthToken, User
from forumsvc.oauth import clients
from tests.functional.background_jobs import do_periodic_work
from tests.functional.forum import Caller, Forum
from tests.functional.pages.conftest import OPEN

from .account import GOOD, caller_of, row_of

pytestmark = pytest.mark.both_databases


def _register_application(forum: Forum, nina: Caller, other_id: int) -> None:
    with forum.database.session.begin() as db:
        clients.create(db, "App", grants=["client_credentials"], owner_id=row_of(forum).id)


USES: dict[str, Callable[[Forum, Caller, int], Any]] = {
    "nothing": lambda forum, nina, other_id: None,
    "a block": lambda forum, nina, other_id: nina.post("/users/other/block"),
    "a report": lambda forum, nina, other_id: nina.post(
        "/reports", obj_type="user", obj_id=other_id, category="spam"
    ),
    "an application": _register_application,
    "an export": lambda forum, nina, other_id: nina.post("/users/me/export"),
}


@pytest.mark.parametrize("used", USES)
def test_an_account_of_before_that_was_used_in_any_way_stays(make_forum, used):
    forum = make_forum(**{name.replace(".", "__"): value for name, value in OPEN.items()})
    other_id = forum.person("other").id
    assert forum.nobody.post("/users", **GOOD).status_int == 201
    answer = USES[used](forum, caller_of(forum), other_id)
    assert answer is None or answer.status_int in (200, 201, 202)
    long_ago = clock.now() - timedelta(days=8)
    times = {"created_at": long_ago, "updated_at": long_ago}
    forum.change(nina := row_of(forum).id, email_confirmed_at=None, **times)
    with forum.database.session.begin() as db:
        db.execute(delete(OAuthToken).where(OAuthToken.user_id == nina))
    must_confirm = {"mail__delivery": "folder", "accounts__confirm_email": "true"}
    do_periodic_work(make_forum(**must_confirm))
    with forum.database.reads.connect() as db:
        state = db.scalar(select(User.state).where(User.id == nina))
    assert state == ("deleted" if used == "nothing" else "active")
