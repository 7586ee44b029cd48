"""An author takes the deletion of a topic or reply back."""

import pytest

from forumsvc import clock
from forumsvc.models import SweepAction
from forumsvc.services import counter_check
from forumsvc.services.moderation import sweeps
from tests.functional.forum import Forum, Person

from .visitor import Visitor, form_of, with_password


def _ann(forum: Forum, ann: int) -> Person:
    return Person(forum.app, forum.token(ann), ann, "ann")


@pytest.mark.parametrize("kind", ["topics", "replies"])
def test_an_author_takes_a_deletion_back(
    forum: Forum, member: Visitor, ann: int, kind: str
) -> None:
    author = _ann(forum, ann)
    topic = forum.topic(author, forum.node())
    path = f"/topics/{topic}" if kind == "topics" else f"/replies/{forum.reply(author, topic)}"
    page = member.send(f"{path}/delete").follow()
    assert "It is deleted" in page.text
    assert forum.nobody.get(path).status_int == 404
    done = form_of(page).submit().follow()
    assert forum.nobody.get(path).status_int == 200
    assert done.maybe_follow().status_int == 200
    # Once more: it is there already.
    assert form_of(page).submit(status="*").status_int == 303
    with forum.database.session() as db:
        assert [one.name for one in counter_check.check(db) if one.wrong] == []


def test_only_that_deletion_can_be_taken_back_and_by_its_author_alone(
    forum: Forum, member: Visitor, ann: int
) -> None:
    topic = forum.topic(_ann(forum, ann), forum.node())
    address = member.send(f"/topics/{topic}/delete").location
    with_password(forum, "chief", role="maintainer")
    chief = Visitor(forum)
    chief.log_in("chief")
    assert chief.get(address).status_int == 403
    chief.send(f"/topics/{topic}/restore")
    chief.send(f"/topics/{topic}/delete")
    assert member.get(address).status_int == 404


@pytest.mark.parametrize("number", ["0", "9" * 21])
def test_there_is_nothing_to_take_back_of_a_number_that_is_no_id(
    visitor: Visitor, number: str
) -> None:
    assert visitor.get(f"/topics/{number}/deleted").status_int == 404


@pytest.mark.parametrize("action", ["close", "ban", "delete"])
def test_a_reply_does_not_come_back_into_a_topic_that_was_closed_banned_or_deleted(
    forum: Forum, member: Visitor, ann: int, action: str
) -> None:
    chief = forum.person("chief", role="maintainer")
    topic = forum.topic(chief, forum.node())
    reply = forum.reply(_ann(forum, ann), topic)
    page = member.send(f"/replies/{reply}/delete").follow()
    path = f"/topics/{topic}"
    done = chief.delete(path) if action == "delete" else chief.post(f"{path}/action", type=action)
    assert done.status_int == 200
    assert form_of(page).submit(status="*").status_int in (403, 404)
    assert chief.get(f"/replies/{reply}").json["deleted"]


@pytest.mark.parametrize("kind", ["topics", "replies"])
@pytest.mark.parametrize("decision", ["deletes it", "delete", "dismiss", "sweeps the author"])
def test_what_a_moderator_has_decided_since_is_not_taken_back(
    forum: Forum, member: Visitor, ann: int, kind: str, decision: str
) -> None:
    author = _ann(forum, ann)
    topic = forum.topic(author, forum.node())
    post = topic if kind == "topics" else forum.reply(author, topic)
    reporter = forum.person("reporter")
    kind_of = {"topics": "topic", "replies": "reply"}[kind]
    reporter.post("/reports", obj_type=kind_of, obj_id=post, category="spam")
    address = member.send(f"/{kind}/{post}/delete").location
    chief = forum.person("chief", role="maintainer", scope="read write moderate")
    if decision == "deletes it":
        done = chief.delete(f"/{kind}/{post}")
    elif decision in ("delete", "dismiss"):
        [review] = chief.get("/reviews").json
        done = chief.post(f"/reviews/{review['id']}/resolve", decision=decision, reason="spam")
    else:
        with forum.database.session.begin() as db:
            sweeps.order(db, chief.id, clock.now(), ann, SweepAction.DELETE, since=None)
        done = chief.get("/reviews")
    assert done.status_int < 300, done.text
    assert member.get(address).status_int == 404
