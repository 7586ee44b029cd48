"""The page of one's own profile."""

from webtest import Upload

from forumsvc.models import Photo, UserState
from tests.functional.forum import Forum

from .pictures import png
from .visitor import Visitor, sent, wrong


def test_a_profile_is_changed_and_shown(member: Visitor) -> None:
    page = member.send("/settings", name="Ann A.", tagline="Sailor", website="https://a.example")
    assert "Your profile is saved." in page.follow().text
    assert "Ann A." in member.get("/ann").text
    assert member.form("/settings")["tagline"].value == "Sailor"


def test_a_wrong_field_keeps_what_was_typed(member: Visitor) -> None:
    page = member.send("/settings", name="Ann A.", website="nowhere")
    assert "must be an http" in wrong(page)
    assert page.html.find(id="name")["value"] == "Ann A."
    assert "Ann A." not in member.get("/ann").text


def test_the_email_is_shown_to_others_only_while_the_box_is_checked(
    forum: Forum, member: Visitor
) -> None:
    form = member.form("/settings")
    form["email_public"] = True
    form.submit()
    assert "ann@example.org" in Visitor(forum).get("/ann").text
    form = member.form("/settings")
    form["email_public"] = False
    form.submit()
    assert "ann@example.org" not in Visitor(forum).get("/ann").text


def test_a_picture_becomes_the_avatar_until_it_is_taken_away(forum: Forum, member: Visitor) -> None:
    sent(member.form("/settings"), picture=png())
    address = member.get("/ann").html.find("h1").find("img")["src"]
    assert "/photos/" in address
    assert member.app.get(address).content_type.startswith("image/")
    form = member.form("/settings")
    form["no_picture"] = True
    form.submit()
    assert "/avatars/" in member.get("/ann").html.find("h1").find("img")["src"]


def test_a_file_that_is_no_picture_is_refused(forum: Forum, member: Visitor) -> None:
    page = sent(member.form("/settings"), picture=Upload("a.png", b"no picture", "image/png"))
    assert "Not a PNG" in wrong(page)
    assert forum.count(Photo) == 0


def test_a_blocked_user_is_led_to_the_pages_of_the_account_that_are_left(
    forum: Forum, member: Visitor, ann: int
) -> None:
    forum.change(ann, state=UserState.BLOCKED)
    assert member.get("/settings").status_int == 403
    page = member.get("/").click("Settings")
    tabs = page.html.find("nav", class_="tabs").find_all("a")
    assert [tab["href"] for tab in tabs] == [
        "/settings/email",
        "/password",
        "/settings/sessions",
        "/applications",
        "/settings/blocked",
        "/settings/display",
        "/settings/photos",
        "/settings/data",
    ]
    assert [member.get(tab["href"]).status_int for tab in tabs] == [200] * len(tabs)
