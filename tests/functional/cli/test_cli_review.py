"""`forumsvc review`: the queue of moderators at the command line."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from forumsvc.db.engine import Database
from forumsvc.models import (
    Event,
    HeldPost,
    HoldReason,
    ReportCategory,
    Review,
    ReviewKind,
    Role,
    Topic,
    User,
)
from forumsvc.services import nodes
from forumsvc.services.moderation import held_posts, reports, reviews
from forumsvc.services.moderation.reports import Reporter, Target
from tests.functional.cli.conftest import Run
from tests.functional.cli.test_cli_moderation import actions
from tests.functional.cli.test_cli_users import PASSWORD

NOW = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
def ann(run: Run) -> int:
    """The id of a member."""
    return int(run("user", "add", "ann", "--password", PASSWORD, "--json").json["id"])


@pytest.fixture
def held(database: Database, ann: int) -> int:
    """The review of a topic of ann's that waits to be published."""
    with database.session.begin() as db:
        node = nodes.create(db, "General").id
        reason = HoldReason.FIRST_POST
        held_posts.hold(db, ann, NOW, reason, title="Hello", body="I am **new**", node_id=node)
        return db.scalars(select(Review.id)).one()


@pytest.fixture
def reported(run: Run, database: Database, ann: int) -> int:
    """The review of ann, whom bob reported."""
    bob = int(run("user", "add", "bob", "--password", PASSWORD, "--json").json["id"])
    with database.session.begin() as db:
        who = Reporter(bob, Role.MEMBER, is_established=True)
        target, category = Target(f"user:{ann}", ann), ReportCategory.ABUSE
        reports.report(db, who, NOW, target, category=category, comment="Rude", hide_after=None)
        return db.scalars(select(Review.id)).one()


def test_the_queue_is_listed(run: Run, held: int) -> None:
    [one] = run("review", "list", "--json").json["reviews"]
    assert (one["id"], one["kind"], one["title"], one["user"]) == (held, "held", "Hello", "ann")
    assert run("review", "list", "--kind", "reported", "--json").json["reviews"] == []
    assert run("review", "list", "--state", "resolved").out == "There is nothing to decide.\n"


def test_a_review_is_shown_with_its_text(run: Run, held: int) -> None:
    assert run("review", "show", held, "--json").json["text"] == "I am **new**"
    assert "I am **new**" in run("review", "show", held).out


def test_a_review_is_shown_with_who_reported_it(run: Run, reported: int) -> None:
    assert run("review", "show", reported, "--json").json["reports"] == [
        {"reporter": "bob", "category": "abuse", "comment": "Rude", "text": None}
    ]
    assert "bob: abuse Rude" in run("review", "show", reported).out


def test_a_held_post_is_published(run: Run, database: Database, held: int) -> None:
    decided = run("review", "resolve", held, "--decision", "approve", "--json")
    assert decided.json["changed"] is True
    with database.reads.connect() as db:
        topic = db.execute(select(Topic.title, Topic.body_html)).one()
        assert db.scalar(select(HeldPost.state)) == "released"
    assert (topic.title, "<strong>new</strong>" in topic.body_html) == ("Hello", True)
    assert actions(run, "--user", "ann") == ["review.resolved"]
    again = run("review", "resolve", held, "--decision", "approve", "--json")
    assert again.json["changed"] is False


@pytest.mark.parametrize("role", [Role.MEMBER, Role.MAINTAINER])
def test_a_decision_may_silence_the_author(
    run: Run, database: Database, reported: int, role: Role
) -> None:
    run("user", "role", "ann", role)
    words = ("--decision", "dismiss", "--reason", "Rude", "--silence-days", "3")
    assert run("review", "resolve", reported, *words, "--json").json["changed"] is True
    with database.reads.connect() as db:
        found = db.execute(select(User.state, User.blocked_reason).where(User.login == "ann")).one()
    assert tuple(found) == ("blocked", "Rude")
    assert actions(run)[:2] == ["user.silenced", "review.resolved"]


def test_a_decision_silences_no_admin(run: Run, reported: int) -> None:
    run("user", "role", "ann", Role.ADMIN)
    before = actions(run)
    words = ("--decision", "dismiss", "--reason", "Rude", "--silence-days", "3")
    assert "ann is an admin" in run("review", "resolve", reported, *words).refusal
    assert actions(run) == before
    assert [one["id"] for one in run("review", "list", "--json").json["reviews"]] == [reported]


def test_an_account_that_is_deleted_leaves_the_queue(
    run: Run, database: Database, ann: int, held: int
) -> None:
    with database.session.begin() as db:
        key = reviews.account_key(ann)
        reviews.open_review(db, NOW, ReviewKind.ACCOUNT, key, ann)
    for _ in range(2):
        run("user", "delete", "ann", "--json", "--yes")
    open_ones = run("review", "list", "--json").json["reviews"]
    assert [one["kind"] for one in open_ones] == ["held"]
    [closed] = run("review", "list", "--state", "resolved", "--json").json["reviews"]
    assert (closed["kind"], closed["decision"]) == ("account", "delete")
    with database.reads.connect() as db:
        types = list(db.scalars(select(Event.type).order_by(Event.id)))
    assert types.count("review.resolved") == 1
