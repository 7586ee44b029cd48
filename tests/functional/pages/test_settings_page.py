"""The pages of one's own settings, data, log-ins and photos."""

import io
import re
import zipfile

from webtest import Upload

from forumsvc.models import JobKind, Photo
from tests.functional.forum import Forum, Person
from tests.functional.test_photos_own import upload

from .visitor import Visitor, form_of, sent, with_password, wrong


def test_a_file_that_is_no_picture_is_refused(forum, member):
    page = sent(member.form("/settings"), picture=Upload("a.png", b"no picture", "image/png"))
    assert "Not a PNG" in wrong(page)
    assert forum.count(Photo) == 0


DATA = "/settings/data"


def test_the_page_has_a_button_and_then_the_file(forum, member):
    ask = member.form(DATA)
    page = ask.submit().follow()
    assert "being put together" in page.text
    forum.registry.job_runner.run_due(JobKind.EXPORT)
    assert "Download the file" in member.get(DATA).text
    file = member.get(f"{DATA}/export.zip")
    assert file.headers["Cache-Control"] == "no-store"
    assert zipfile.ZipFile(io.BytesIO(file.body)).testzip() is None
    assert "Have the file made" not in member.get(DATA).text
    refused = ask.submit(status="*")
    assert refused.status_int == 429
    assert "once a day" in refused.text


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15"
    " (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
)


def test_a_log_in_in_another_browser_is_seen_and_ended(forum):
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
    for absent in ("", "x", "9" * 30):
        assert here.post("/settings/sessions", session_id=absent).status_int == 303


PHOTOS = "/settings/photos"


def photo_of(forum: Forum, user_id: int, login: str = "ann") -> str:
    return upload(Person(forum.app, forum.token(user_id), user_id, login))


def deletions(member: Visitor) -> list[str]:
    return re.findall(rf"{PHOTOS}/\d+/delete", member.get(PHOTOS).text)


def test_a_photo_is_deleted_after_a_page_has_asked(forum, member, ann):
    url = photo_of(forum, ann)
    [path] = deletions(member)
    asking = member.get(path)
    assert url in asking.text
    forum.app.get(url, status=200)
    assert "is deleted" in sent(form_of(asking)).follow().text
    forum.app.get(url, status=404)
    assert deletions(member) == []
    assert sent(form_of(asking)).status_int == 404


def test_photos_of_others_are_neither_shown_nor_deleted(forum, member, ann):
    with_password(forum, "eve")
    eve = Visitor(forum)
    eve.log_in("eve")
    url = photo_of(forum, ann)
    [path] = deletions(member)
    assert deletions(eve) == []
    assert eve.get(path).status_int == 403
    assert eve.post(path).status_int == 403
    forum.app.get(url, status=200)


def test_who_may_only_read_sees_their_photos_without_a_button(forum, member, ann):
    url = photo_of(forum, ann)
    forum.change(ann, state="blocked")
    assert url in member.get(PHOTOS).text
    assert deletions(member) == []
