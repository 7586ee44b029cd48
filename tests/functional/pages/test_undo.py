"""An author takes the deletion of a topic or reply back."""

import pytest

from forumsvc.services import counter_check
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
    with forum.database.session() as db:
        assert [one.name for one in counter_check.check(db) if one.wrong] == []


def test_only_that_deletion_can_be_taken_back_and_by_its_author_alone(
    forum: Forum, member: Visitor, ann: int
) -> None:
    topic = forum.topic(_ann(forum, ann), forum.node())
    address = member.send(f"/topics/{topic}/delete").location.removeprefix("http://localhost")
    with_password(forum, "chief", role="maintainer")
    chief = Visitor(forum)
    chief.log_in("chief")
    assert chief.get(address).status_int == 403
    chief.send(f"/topics/{topic}/restore")
    chief.send(f"/topics/{topic}/delete")
    assert member.get(address).status_int == 404
