"""New accounts that can only read until a moderator has approved them."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from forumsvc import clock
from forumsvc.background import mail_texts
from forumsvc.models import AuditRecord, Event, Role, User
from forumsvc.services.accounts import accounts
from tests.functional.background_jobs import do_periodic_work
from tests.functional.conftest import MakeForum
from tests.functional.forum import Caller, Forum, Person, content
from tests.functional.pages.visitor import Visitor
from tests.functional.queued_mails import queued_mails
from tests.functional.test_held_posts import resolve_only
from tests.functional.test_reports import MODERATE, told

ANN = {"login": "ann", "email": "ann@example.org", "password": "tangled-wire-77"}


@pytest.fixture
def careful(make_forum: MakeForum) -> Forum:
    """A forum whose moderators approve each new account."""
    return make_forum(
        accounts__registration="approval",
        accounts__confirm_email="false",
        mail__delivery="folder",
    )


@pytest.fixture
def chief(careful: Forum) -> Person:
    """A maintainer."""
    return careful.person("chief", role="maintainer", scope=MODERATE)


@pytest.fixture
def ann(careful: Forum) -> Caller:
    """Somebody who has just signed up."""
    assert careful.nobody.post("/users", **ANN).status_int == 201
    with careful.database.reads.connect() as db:
        user_id = db.scalars(select(User.id).where(User.login == "ann")).one()
    return careful.caller(careful.token(user_id))


def block_domain(forum: Forum) -> Person:
    """Let accounts of a domain need approval; return the admin."""
    root = forum.person("root", role="admin", scope="read write moderate admin")
    block = {"kind": "email_domain", "value": "example.org", "severity": "approval"}
    assert root.post("/access_blocks", **block, reason="Bots").status_int == 201
    return root


def post(who: Caller, node: int) -> Any:
    return who.post("/topics", title="Hello", body="I am new", node_id=node)


def test_a_new_account_only_reads_until_it_is_approved_and_bots_see_that_it_waits(
    careful, ann, chief
):
    with careful.database.reads.connect() as db:
        types = db.scalars(select(Event.type).order_by(Event.id)).all()
    assert types[-2:] == ["user.created", "review.opened"]
    node = careful.node()
    assert content(ann.get("/users/me"))["level"] == "newbie"
    refused = post(ann, node)
    assert (refused.status_int, "approve your account" in refused.json["error"]) == (403, True)
    assert ann.get("/topics").status_int == 200
    assert content(ann.get("/users/chief"))["abilities"]["follow"] is False
    [review] = content(chief.get("/reviews"))
    shown = review["kind"], review["obj_type"], review["user"]["login"]
    assert shown == ("account", "account", "ann")
    assert resolve_only(chief, "approve", reason="Welcome").status_int == 200
    assert content(ann.get("/users/me"))["level"] == "member"
    assert post(ann, node).status_int == 201
    assert content(ann.get("/users/chief"))["abilities"]["follow"] is True


@pytest.mark.parametrize("role", [Role.MAINTAINER, Role.ADMIN])
def test_who_got_a_role_while_the_review_was_open_cannot_be_deleted_by_it(
    careful, ann, chief, role
):
    with careful.database.session.begin() as db:
        accounts.set_role(db, None, clock.now(), "ann", role)
    refused = resolve_only(chief, "delete", reason="Too late")
    assert (refused.status_int, "role" in refused.json["error"]) == (400, True)
    assert ann.get("/users/me").status_int == 200
    assert resolve_only(chief, "approve").status_int == 200


def test_who_is_approved_is_told_by_mail_and_on_the_site(careful, ann, chief):
    resolve_only(chief, "approve", reason="Welcome")
    me = content(ann.get("/users/me"))
    person = Person(ann.app, ann.token, me["id"], "ann")
    assert told(person) == [("account.approved", "Welcome")]
    [mail] = queued_mails(careful.database)
    assert (mail.kind, mail.recipient) == ("account_approved", "ann@example.org")


def test_a_refused_account_is_deleted_and_its_owner_is_told(careful, ann, chief):
    assert resolve_only(chief, "delete", reason="A robot").status_int == 200
    assert ann.get("/users/me").status_int == 401
    with careful.database.reads.connect() as db:
        logged = select(AuditRecord.actor_id).where(AuditRecord.action == "user.deleted")
        assert db.scalars(logged).all() == [chief.id]
        told = select(Event.actor_id).where(Event.type == "user.deleted")
        assert db.scalars(told).all() == [chief.id]
    [mail] = queued_mails(careful.database)
    with careful.database.reads.connect() as db:
        settings = careful.registry.forum_settings
        text = mail_texts.text_of(db, settings, mail)
    assert text is not None
    assert (text.recipient, "A robot" in text.text) == ("ann@example.org", True)


def test_an_account_that_ends_unconfirmed_leaves_the_queue(make_forum):
    forum = make_forum(
        accounts__registration="approval", accounts__confirm_email="true", mail__delivery="folder"
    )
    chief = forum.person("chief", role="maintainer", scope=MODERATE)
    assert forum.nobody.post("/users", **ANN).status_int == 201
    [review] = content(chief.get("/reviews"))
    long_ago = clock.now() - timedelta(days=800)
    forum.change(review["user"]["id"], created_at=long_ago, updated_at=long_ago)
    do_periodic_work(forum)
    assert content(chief.get("/reviews")) == []
    assert chief.get(f"/reviews/{review['id']}").json["decision"] == "delete"


@pytest.mark.parametrize("must_confirm", [True, False])
def test_who_has_to_wait_is_told_for_what(make_forum, must_confirm):
    forum = make_forum(
        accounts__registration="open",
        accounts__confirm_email=str(must_confirm).lower(),
        accounts__sign_up_min_seconds="off",
        mail__delivery="folder",
    )
    block_domain(forum)
    visitor = Visitor(forum)
    shown = visitor.send("/signup", **ANN).follow().html.find("main").text
    assert "a moderator has approved" in shown
    assert ("the link in the email" in shown) is must_confirm
    page = visitor.get("/settings/email")
    assert (page.status_int, page.html.find(href="/settings")) == (200, None)


def test_where_registration_is_open_accounts_of_a_suspicious_domain_alone_need_approval(make_forum):
    forum = make_forum(accounts__registration="open", accounts__confirm_email="false")
    root = block_domain(forum)
    other = {**ANN, "login": "bea", "email": "bea@example.net"}
    for account in (ANN, other):
        assert forum.nobody.post("/users", **account).status_int == 201
    [review] = content(root.get("/reviews"))
    assert (review["kind"], review["user"]["login"]) == ("account", "ann")
    assert review["opened_at"] <= clock.rfc3339(clock.now())
