"""The page that closes an account, and the log-in that takes it back."""

from sqlalchemy import select

from forumsvc.models import User
from tests.functional.forum import Forum

from .visitor import PASSWORD, Visitor, form_of, sent, with_password, wrong

PATH = "/settings/closure"


def is_closing(forum: Forum, user_id: int) -> bool:
    with forum.database.reads.connect() as db:
        return db.scalar(select(User.closes_at).where(User.id == user_id)) is not None


def test_the_page_asks_for_the_password_and_says_what_will_happen(
    forum: Forum, member: Visitor, ann: int
) -> None:
    page = member.get("/settings/data").click("Close my account")
    assert "after 14 days" in page.text
    refused = sent(form_of(page), current_password="not hers")
    assert "is wrong" in wrong(refused)
    assert not is_closing(forum, ann)
    shown = sent(form_of(page), current_password=PASSWORD, posts="blank").follow()
    assert "will be closed" in shown.text
    assert is_closing(forum, ann)
    kept = sent(form_of(shown)).follow()
    assert "stays open" in kept.text
    assert not is_closing(forum, ann)


def test_a_log_in_takes_it_back_and_says_so(forum: Forum, member: Visitor, ann: int) -> None:
    member.send(PATH, current_password=PASSWORD)
    other = Visitor(forum)
    other.log_in(password="not hers")
    assert is_closing(forum, ann)
    shown = other.log_in().follow()
    assert "stays open" in shown.text
    assert not is_closing(forum, ann)
    assert "stays open" not in Visitor(forum).log_in().follow().text


def test_moderators_see_who_closes_their_account(forum: Forum, member: Visitor) -> None:
    member.send(PATH, current_password=PASSWORD)
    with_password(forum, "mod", role="maintainer")
    moderator = Visitor(forum)
    moderator.log_in("mod")
    assert "closes their account" in moderator.get("/moderation/users/ann").text
    assert "asked to close" in moderator.get("/moderation/log").text


def test_a_blocked_person_closes_their_account(forum: Forum, member: Visitor, ann: int) -> None:
    forum.change(ann, state="blocked")
    assert member.send(PATH, current_password=PASSWORD).status_int == 303
    assert is_closing(forum, ann)
