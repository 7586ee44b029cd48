"""Writing a post that waits for a moderator on the pages, and deciding on it there."""

import pytest

from forumsvc.models import HeldPost
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, content

from .visitor import Visitor, form_of, sent, with_password


@pytest.fixture
def strict(make_forum: MakeForum) -> Forum:
    """A forum that holds the first post of a member."""
    return make_forum(posts__hold_first="1")


@pytest.fixture
def chief(strict: Forum) -> Visitor:
    """A maintainer who is logged in."""
    with_password(strict, "chief", role="maintainer")
    visitor = Visitor(strict)
    visitor.log_in("chief")
    return visitor


@pytest.fixture
def member(strict: Forum) -> Visitor:
    """A member without posts, who is logged in."""
    with_password(strict, "ann")
    visitor = Visitor(strict)
    visitor.log_in()
    return visitor


def write(member: Visitor, node: int) -> str:
    """Post a topic and return the path of the page that follows."""
    answer = member.send("/topics/new", title="Hello", body="I am **new**", node_id=str(node))
    return str(answer.location)


def test_a_first_topic_waits_and_its_page_says_so(strict: Forum, member: Visitor) -> None:
    path = write(member, strict.node())
    assert "/held/" in path
    page = member.get(path)
    assert "A moderator looks at it before others see it." in page.text
    assert "It is one of your first posts." in page.text
    assert "I am **new**" in page.text
    assert "Hello" not in Visitor(strict).get("/").text


def test_the_author_takes_it_back(strict: Forum, member: Visitor) -> None:
    path = write(member, strict.node())
    page = member.get(path)
    form = next(one for one in page.forms.values() if "/held/" in one.action)
    assert "It was taken back." in form.submit().follow().text
    assert all("/held/" not in one.action for one in member.get(path).forms.values())


def test_an_author_finds_it_again_and_sends_it_with_a_better_text(
    strict: Forum, member: Visitor
) -> None:
    first = write(member, strict.node())
    page = member.get("/ann").click("Your waiting posts").click("Hello")
    form = form_of(page.click("Change the text and send it again"))
    assert form["body"].value.strip() == "I am **new**"
    form["body"] = "I am new, and say more"
    second = form.submit().location
    assert second != first
    assert "It was taken back." in member.get(first).text
    [entry] = member.get("/held").html.find_all(class_="entry")
    assert "say more" in entry.text
    assert strict.count(HeldPost) == 2


def test_a_refused_text_can_be_sent_again_and_nobody_elses_can(
    strict: Forum, member: Visitor, chief: Visitor
) -> None:
    path = write(member, strict.node())
    review = chief.get("/moderation").click("Hello")
    form = next(one for one in review.forms.values() if "/reviews/" in one.action)
    sent(form, decision="delete", reason="Too short")
    assert "Hello" in member.get("/held", state="refused").text
    address = member.get(path).html.find("a", string="Change the text and send it again")["href"]
    assert form_of(member.get(address))["body"].value.strip() == "I am **new**"
    assert form_of(chief.get(address))["body"].value.strip() == ""


def test_a_moderator_publishes_it_from_the_queue(
    strict: Forum, member: Visitor, chief: Visitor
) -> None:
    path = write(member, strict.node())
    assert chief.get(path).status_int == 200
    queue = chief.get("/moderation")
    assert "Waits to be published" in queue.text
    review = queue.click("Hello")
    assert "I am **new**" in review.text
    form = next(one for one in review.forms.values() if "/reviews/" in one.action)
    assert [value for value, *_ in form["decision"].options] == ["approve", "delete"]
    sent(form, decision="approve", reason="Welcome")
    [topic] = content(strict.nobody.get("/topics"))
    assert topic["title"] == "Hello"
    assert "It is published." in member.get(path).text
    assert "your post is published in" in member.get("/notifications").text


def test_nobody_else_sees_the_page(strict: Forum, member: Visitor) -> None:
    path = write(member, strict.node())
    assert "/login" in Visitor(strict).get(path).location
    with_password(strict, "bob")
    other = Visitor(strict)
    other.log_in("bob")
    assert other.get(path).status_int == 404


def test_a_moderator_approves_a_new_account_from_the_queue(make_forum: MakeForum) -> None:
    forum = make_forum(accounts__registration="approval")
    with_password(forum, "chief", role="maintainer")
    chief, new = Visitor(forum), Visitor(forum)
    chief.log_in("chief")
    words = {"login": "nina", "email": "nina@example.org", "password": "tangled-wire-77"}
    assert "once a moderator has approved" in new.send("/signup", **words).follow().text
    assert new.get("/topics/new").status_int == 403
    queue = chief.get("/moderation")
    assert "A new account" in queue.text
    review = queue.click("nina")
    form = next(one for one in review.forms.values() if "/reviews/" in one.action)
    sent(form, decision="approve")
    assert new.get("/topics/new").status_int == 200
    assert "your account is approved" in new.get("/notifications").text
