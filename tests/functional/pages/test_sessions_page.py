"""Where one is logged in, and whom one blocks."""

from tests.functional.forum import Forum

from .visitor import Visitor, with_password

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15"
    " (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
)


def test_a_log_in_in_another_browser_is_seen_and_ended(forum: Forum) -> None:
    with_password(forum, "ann")
    with_password(forum, "eve")
    here, phone = Visitor(forum, HTTP_USER_AGENT=FIREFOX), Visitor(forum, HTTP_USER_AGENT=SAFARI)
    eve = Visitor(forum)
    for browser, login in ((here, "ann"), (phone, "ann"), (eve, "eve")):
        browser.log_in(login)
    page = here.get("/settings/sessions")
    entries = [" ".join(one.text.split()) for one in page.html.find_all(class_="entry")]
    assert entries[0].startswith("Safari, iPhone since")
    assert entries[1].startswith("Firefox, Linux this browser since")
    there = page.html.find("input", {"name": "session_id"})["value"]
    # Of somebody else: nothing happens.
    eve.post("/settings/sessions", session_id=there)
    assert phone.is_logged_in()
    here.post("/settings/sessions", session_id=there)
    assert (here.is_logged_in(), phone.is_logged_in()) == (True, False)
    for wrong in ("", "x", "9" * 30):
        assert here.post("/settings/sessions", session_id=wrong).status_int == 303


def test_blocked_people_are_listed_and_let_go(forum: Forum) -> None:
    with_password(forum, "ann")
    forum.person("bob")
    ann = Visitor(forum)
    ann.log_in("ann")
    ann.post("/bob/block")
    assert "bob" in ann.get("/settings/blocked").html.find(class_="people").text
    ann.post("/bob/unblock")
    assert ann.get("/settings/blocked").html.find(class_="people") is None
