"""Silencing and warning users, the end of a silence, and what the user is told."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from forumsvc import clock
from forumsvc.models import MailKind, Restriction, User, UserState, state_at
from tests.cases import each
from tests.functional.background_jobs import do_periodic_work
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person, content
from tests.functional.queued_mails import queued_mails

MODERATE = "read write moderate"


@pytest.fixture
def root(forum: Forum) -> Person:
    """An admin."""
    return forum.person("root", role="admin", scope=MODERATE)


def silence(chief: Person, user: Person, reason: str = "Spam", **more: Any) -> Any:
    """Silence a user and return the answer."""
    return chief.post(f"/users/{user.id}/silence", reason=reason, **more)


def last_notification(user: Person) -> Any:
    """Return the newest notification of a user."""
    return content(user.get("/notifications"))[0]


def in_past(forum: Forum, user: Person) -> None:
    """Let the silence of a user have ended a second ago."""
    forum.change(user.id, blocked_until=clock.now() - timedelta(seconds=1))


def moment(text: str) -> datetime:
    """Return the time that a text names."""
    parsed = clock.parse_rfc3339(text)
    assert parsed is not None
    return parsed


def test_a_silenced_user_only_reads_and_is_told_why_and_until_when(
    chief: Person, alice: Person, topic: int
) -> None:
    answer = silence(chief, alice, "Advertising", days=7)
    assert answer.status_int == 200
    shown = content(answer)["restriction"]
    assert shown["reason"] == "Advertising"
    assert moment(shown["until"]) - moment(shown["since"]) == timedelta(days=7)
    refused = alice.post(f"/topics/{topic}/replies", body="hello")
    assert refused.status_int == 403
    assert refused.json["error"] == f"You are silenced until {shown['until']}: Advertising"
    liked = alice.post("/likes", obj_type="topic", obj_id=topic)
    assert liked.json == refused.json
    assert alice.get(f"/topics/{topic}").status_int == 200
    assert content(alice.get("/users/me"))["restriction"] == shown
    assert content(alice.get("/users/me"))["level"] == "blocked"


def test_a_silence_without_days_and_until_has_no_end(chief: Person, alice: Person) -> None:
    assert content(silence(chief, alice))["restriction"]["until"] is None
    refused = alice.put("/users/me", tagline="x")
    assert (refused.status_int, refused.json["error"]) == (403, "You are silenced: Spam")


@each(
    ("parameters", "named"),
    [
        ({"reason": ""}, "reason"),
        ({"reason": "x" * 501}, "reason"),
        ({"days": "0"}, "days"),
        ({"days": "3651"}, "days"),
        ({"days": "1.5"}, "days"),
        ({"until": "tomorrow"}, "until"),
        ({"until": "2020-01-01T00:00:00Z"}, "until"),
        ({"days": "1", "until": "2999-01-01T00:00:00Z"}, "days"),
        ({"note": "x" * 2001}, "note"),
    ],
)
def test_a_wrong_parameter_is_named_and_nothing_changes(
    chief: Person, alice: Person, parameters: dict[str, str], named: str
) -> None:
    answer = silence(chief, alice, **{"reason": "Spam", **parameters})
    assert (answer.status_int, answer.json["error"].split()[0]) == (400, f"{named}:")
    assert content(alice.get("/users/me"))["level"] == "member"


@pytest.mark.both_databases
def test_a_silence_ends_by_the_clock_without_a_worker(
    forum: Forum, chief: Person, alice: Person, topic: int
) -> None:
    silence(chief, alice, days=1)
    assert not alice.get(f"/topics/{topic}").json["abilities"]["reply"]
    in_past(forum, alice)
    assert alice.get(f"/topics/{topic}").json["abilities"]["reply"]
    assert alice.post(f"/topics/{topic}/replies", body="hello").status_int == 201
    me = content(alice.get("/users/me"))
    assert (me["level"], me["restriction"]) == ("member", None)


@each(("after", "state"), [(-1, "blocked"), (0, "active"), (1, "active")])
def test_a_silence_ends_at_its_very_moment(after: int, state: str) -> None:
    end = clock.now()
    assert state_at(UserState.BLOCKED, end, end + timedelta(microseconds=after)) == state


@pytest.mark.both_databases
def test_the_worker_tidies_up_and_tells_the_user_once(
    forum: Forum, chief: Person, alice: Person, bob: Person
) -> None:
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


@pytest.mark.both_databases
def test_a_new_silence_replaces_the_present_one_in_the_history(
    forum: Forum, chief: Person, alice: Person
) -> None:
    silence(chief, alice, "First", days=1, note="seen before")
    silence(chief, alice, "Second", days=2)
    second, first = content(chief.get(f"/users/{alice.id}/restrictions"))
    assert (first["reason"], first["active"], first["note"]) == ("First", False, "seen before")
    assert (second["reason"], second["active"], second["by"]["login"]) == ("Second", True, "chief")
    assert first["lifted_at"] == second["started_at"]


def test_the_same_silence_again_changes_nothing(forum: Forum, chief: Person, alice: Person) -> None:
    for _ in range(2):
        silence(chief, alice, until="2999-01-01T00:00:00Z")
    with forum.database.reads.connect() as db:
        assert db.scalar(select(func.count()).select_from(Restriction)) == 1
    assert alice.get("/notifications/unread_count").json["count"] == 1


def test_a_silence_is_lifted_with_a_reason_and_the_user_is_told(
    chief: Person, alice: Person, topic: int
) -> None:
    silence(chief, alice, days=3)
    answer = chief.post(f"/users/{alice.id}/unsilence", reason="They apologized")
    assert content(answer)["restriction"] is None
    assert alice.post(f"/topics/{topic}/replies", body="thanks").status_int == 201
    told = last_notification(alice)
    assert (told["action"], told["reason"]) == ("user.unsilenced", "They apologized")
    assert content(chief.get(f"/users/{alice.id}/restrictions"))[0]["active"] is False


def test_a_notification_of_moderation_shows_the_service_as_its_actor(
    chief: Person, alice: Person
) -> None:
    silence(chief, alice, "Spam", until="2999-01-01T00:00:00Z")
    told = last_notification(alice)
    assert told["type"] == "Moderation"
    assert (told["actor"]["login"], told["actor"]["name"]) == ("system", "Forum")
    assert (told["action"], told["reason"], told["title"]) == ("user.silenced", "Spam", None)
    assert told["until"] == "2999-01-01T00:00:00.000Z"
    assert "chief" not in alice.get("/notifications").text


def test_the_built_in_user_is_in_no_list_and_cannot_be_followed_or_blocked(
    chief: Person, alice: Person
) -> None:
    silence(chief, alice)
    system = last_notification(alice)["actor"]["id"]
    assert "system" not in [one["login"] for one in content(alice.get("/users"))]
    for action in ("follow", "block", "silence", "warn"):
        assert chief.post(f"/users/{system}/{action}", reason="x").status_int == 403, action


def test_a_login_that_somebody_had_before_is_not_the_built_in_user(
    forum: Forum, chief: Person, alice: Person
) -> None:
    forum.person("system")
    silence(chief, alice)
    assert last_notification(alice)["actor"]["login"] == "system-1"


@pytest.mark.both_databases
def test_a_maintainers_token_without_moderate_sees_no_reason(forum: Forum, alice: Person) -> None:
    chief = forum.person("chief", role="maintainer", scope=MODERATE)
    assert chief.post(f"/users/{alice.id}/silence", reason="Spam").status_int == 200
    reader = forum.caller(forum.token(chief.id, scope="read"))
    shown = [content(who.get("/users/alice"))["restriction"] for who in (chief, reader, alice)]
    assert [one and one["reason"] for one in shown] == ["Spam", None, "Spam"]


def test_a_user_reads_their_own_restrictions_without_notes_and_names(
    chief: Person, alice: Person
) -> None:
    silence(chief, alice, note="secret")
    [own] = content(alice.get("/users/me/restrictions"))
    assert (own["note"], own["by"], own["active"]) == (None, None, True)


def test_a_warning_is_told_and_kept_and_stops_nothing(
    chief: Person, alice: Person, topic: int
) -> None:
    warned = chief.post(f"/users/{alice.id}/warn", reason="Stay on topic", topic_id=topic)
    assert warned.status_int == 200
    told = last_notification(alice)
    assert (told["action"], told["reason"]) == ("user.warned", "Stay on topic")
    assert told["title"] == alice.get(f"/topics/{topic}").json["title"]
    assert alice.post(f"/topics/{topic}/replies", body="sorry").status_int == 201
    [warning] = content(chief.get(f"/users/{alice.id}/restrictions"))
    assert (warning["kind"], warning["topic_id"], warning["active"]) == ("warning", topic, False)


def test_a_warning_is_about_a_post_of_that_user(
    forum: Forum, chief: Person, alice: Person, bob: Person, topic: int
) -> None:
    reply = content(bob.post(f"/topics/{topic}/replies", body="hello"))["id"]
    for named, params in (("topic_id", {"topic_id": topic}), ("reply_id", {"reply_id": 10**6})):
        refused = chief.post(f"/users/{bob.id}/warn", reason="x", **params)
        assert (refused.status_int, refused.json["error"].split(":")[0]) == (400, named)
    assert chief.post(f"/users/{bob.id}/warn", reason="x", reply_id=reply).status_int == 200


def test_who_may_silence_whom(forum: Forum, chief: Person, root: Person, alice: Person) -> None:
    other_chief = forum.person("chief2", role="maintainer", scope=MODERATE)
    vip = forum.person("vip", role="vip", scope=MODERATE)
    allowed = {
        (by.login, of.login): silence(by, of).status_int == 200
        for by in (alice, vip, chief, root)
        for of in (alice, vip, chief, other_chief, root)
    }
    members = {("chief", "alice"), ("chief", "vip"), ("root", "alice"), ("root", "vip")}
    maintainers = {("root", "chief"), ("root", "chief2")}
    # The maintainer is silenced by the admin after the maintainer's own turn.
    assert {pair for pair, done in allowed.items() if done} == members | maintainers


def test_silencing_needs_the_scope_moderate(forum: Forum, alice: Person) -> None:
    chief = forum.person("chief", role="maintainer")
    for action in ("silence", "unsilence", "warn"):
        refused = chief.post(f"/users/{alice.id}/{action}", reason="x")
        assert refused.status_int == 403
        assert 'scope="moderate"' in refused.headers["WWW-Authenticate"]
    assert chief.get(f"/users/{alice.id}/restrictions").status_int == 403
    assert content(chief.get(f"/users/{alice.id}"))["abilities"]["silence"] is False


def test_abilities_say_who_can_be_silenced_to_moderators_only(
    chief: Person, alice: Person, bob: Person, root: Person
) -> None:
    assert content(chief.get(f"/users/{alice.id}"))["abilities"]["silence"] is True
    assert content(chief.get(f"/users/{root.id}"))["abilities"]["unsilence"] is False
    assert "silence" not in content(bob.get(f"/users/{alice.id}"))["abilities"]


def test_others_do_not_see_why_a_user_is_silenced(
    forum: Forum, chief: Person, alice: Person, bob: Person
) -> None:
    silence(chief, alice, "secret reason")
    for caller in (bob, forum.nobody):
        assert content(caller.get(f"/users/{alice.id}"))["restriction"] is None
    assert bob.get(f"/users/{alice.id}/restrictions").status_int == 403


def test_an_email_tells_of_a_silence_and_of_its_end(make_forum: MakeForum) -> None:
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


def test_the_keyed_shape_shows_the_same(make_forum: MakeForum) -> None:
    forum = make_forum(api__envelope="keyed")
    chief = forum.person("chief", role="maintainer", scope=MODERATE)
    alice = forum.person("alice")
    answer = silence(chief, alice, days=1)
    assert answer.json["user"]["restriction"]["reason"] == "Spam"
    assert chief.get(f"/users/{alice.id}/restrictions").json["restrictions"][0]["active"]
    told = alice.get("/notifications").json["notifications"][0]
    assert (told["type"], told["actor"]["login"]) == ("Moderation", "system")
    refused = alice.put("/users/me", tagline="x")
    assert refused.json["message"].startswith("You are silenced until")
