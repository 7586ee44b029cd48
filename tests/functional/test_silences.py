"""Silencing and warning users, the end of a silence, and what the user is told."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from forumsvc import clock
from forumsvc.models import MailKind, User, UserState, state_at
from tests.cases import each
from tests.functional.background_jobs import do_periodic_work
from tests.functional.forum import Forum, Person, content
from tests.functional.queued_mails import queued_mails

MODERATE = "read write moderate"


def silence(chief: Person, user: Person, reason: str = "Spam", **more: Any) -> Any:
    return chief.post(f"/users/{user.id}/silence", reason=reason, **more)


def in_past(forum: Forum, user: Person) -> None:
    """Let the silence of a user have ended a second ago."""
    forum.change(user.id, blocked_until=clock.now() - timedelta(seconds=1))


def moment(text: str) -> datetime:
    parsed = clock.parse_rfc3339(text)
    assert parsed is not None
    return parsed


@pytest.mark.both_databases
def test_a_silence_ends_by_the_clock_without_a_worker(forum, chief, alice, topic):
    shown = content(silence(chief, alice, days=7))["restriction"]
    assert moment(shown["until"]) - moment(shown["since"]) == timedelta(days=7)
    assert not alice.get(f"/topics/{topic}").json["abilities"]["reply"]
    in_past(forum, alice)
    assert alice.get(f"/topics/{topic}").json["abilities"]["reply"]
    assert alice.post(f"/topics/{topic}/replies", body="hello").status_int == 201
    me = content(alice.get("/users/me"))
    assert (me["level"], me["restriction"]) == ("member", None)


@each(("field", "length"), [("reason", 501), ("note", 2001), ("comment", 1001)])
def test_a_reason_a_note_or_a_comment_that_is_too_long_is_refused(chief, alice, bob, field, length):
    long = {field: "x" * length}
    if field == "comment":
        refused = bob.post("/reports", obj_type="user", obj_id=alice.id, category="spam", **long)
    else:
        refused = silence(chief, alice, **{"reason": "x", **long})
    assert (refused.status_int, refused.json["error"].split(":")[0]) == (400, field)


@each(("after", "state"), [(-1, "blocked"), (0, "active"), (1, "active")])
def test_a_silence_ends_at_its_very_moment(after, state):
    end = clock.now()
    assert state_at(UserState.BLOCKED, end, end + timedelta(microseconds=after)) == state


@pytest.mark.both_databases
def test_the_worker_tidies_up_and_tells_the_user_once(forum, chief, alice, bob):
    silence(chief, alice, days=1)
    silence(chief, bob, days=1)
    in_past(forum, alice)
    for _ in range(2):
        do_periodic_work(forum)
    with forum.database.reads.connect() as db:
        found = db.execute(select(User.login, User.state).where(User.id.in_([alice.id, bob.id])))
        states = {row.login: row.state for row in found}
    assert states == {"alice": UserState.ACTIVE, "bob": UserState.BLOCKED}
    told = content(alice.get("/notifications"))
    assert [one["action"] for one in told] == ["user.unsilenced", "user.silenced"]
    assert alice.get("/notifications/unread_count").json["count"] == 2


def test_an_email_tells_of_a_silence_and_of_its_end(make_forum):
    forum = make_forum(mail__delivery="folder")
    chief = forum.person("chief", role="maintainer", scope=MODERATE)
    alice, bob = (forum.person(login) for login in ("alice", "bob"))
    address = {"email": "a@example.org", "email_key": "a@example.org"}
    forum.change(alice.id, **address, email_confirmed_at=clock.now())
    forum.change(bob.id, email="stranger@example.org", email_key="stranger@example.org")
    silence(chief, bob, "Spam", days=1)
    silence(chief, alice, "Spam", until="2999-01-01T00:00:00Z")
    chief.post(f"/users/{alice.id}/unsilence", reason="")
    queued = queued_mails(forum.database)
    assert [(row.kind, row.recipient) for row in queued] == [
        (MailKind.SILENCED, "a@example.org"),
        (MailKind.UNSILENCED, "a@example.org"),
    ]
    assert queued[0].data == {"reason": "Spam", "until": "2999-01-01T00:00:00.000Z"}
