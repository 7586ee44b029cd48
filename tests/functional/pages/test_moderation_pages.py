"""The pages of moderators, and the forms on which members report something."""

import pytest

from forumsvc.errors import Unavailable
from forumsvc.models import AdminAction, Restriction
from forumsvc.queries import reviews
from forumsvc.services.moderation.actions import ACTION_KINDS
from tests.functional.forum import Forum, Person

from .visitor import Visitor, sent, with_password


@pytest.fixture
def chief(forum: Forum) -> Visitor:
    """A maintainer who is logged in."""
    with_password(forum, "chief", role="maintainer")
    visitor = Visitor(forum)
    visitor.log_in("chief")
    return visitor


@pytest.fixture
def bob(forum: Forum) -> Person:
    """An author."""
    return forum.person("bob")


def test_a_warning_and_a_silence_that_are_sent_twice_are_one(forum, chief, bob, topic):
    for action, fields in (("warn", {}), ("silence", {"days": "2"})):
        page = chief.get("/moderation/users/bob")
        form = next(one for one in page.forms.values() if one.action.endswith(f"/{action}"))
        answers = [sent(form, reason="Too loud", **fields).status_int for _ in range(2)]
        assert answers == [303, 303]
    assert forum.count(Restriction) == 2


def test_the_log_has_words_for_every_action():
    assert {type_ for type_, kind in ACTION_KINDS.items() if kind.words} >= {*AdminAction}


def test_a_page_says_what_failed_also_if_the_count_of_reviews_did(chief, monkeypatch):
    def fail(*_: object) -> None:
        raise Unavailable("The database is away.")

    monkeypatch.setattr(reviews, "waiting", fail)
    page = chief.get("/")
    assert (page.status_int, "The database is away." in page.text) == (503, True)


def test_a_footer_that_cannot_be_rendered_stands_as_it_is(make_forum, monkeypatch):
    forum = make_forum(site__footer="Run by <us>")

    def fail(*_: object, **__: object) -> None:
        raise Unavailable("Busy.")

    monkeypatch.setattr(forum.registry.authoring.renderer, "render", fail)
    page = Visitor(forum).get("/topics/999999")
    assert (page.status_int, "Run by &lt;us&gt;" in page.text) == (404, True)
