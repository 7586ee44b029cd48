"""The name and the logo of the site: what is refused, and what other processes show."""

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select
from webtest import Upload

from forumsvc import clock
from forumsvc.models import SiteText
from forumsvc.services.photos.audit import PhotoAudit
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum
from tests.functional.statements import counting

from .visitor import Visitor, sent, with_password, wrong

PAGE = "/settings/forum/site"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
PATHS = ["/", "/topics/{}", "/topics/feed.xml", "/topics/feed.json", "/api/v3/site"]


def picture(color: str, size: tuple[int, int] = (960, 120)) -> Upload:
    """Return a picture with transparency, as a form sends it."""
    file = BytesIO()
    image = Image.new("RGBA", size, color)
    image.putpixel((0, 0), (0, 0, 0, 0))
    image.save(file, "PNG")
    return Upload("logo.png", file.getvalue(), "image/png")


@pytest.fixture
def admin(forum: Forum) -> Visitor:
    with_password(forum, "root", role="admin")
    browser = Visitor(forum)
    browser.log_in("root")
    return browser


def logo_of(page: Any) -> str | None:
    """Return the address of the logo in the header of a page."""
    image = page.html.select_one("header .site img")
    return image and image["src"]


def is_stored(forum: Forum, name: str) -> bool:
    return any(
        stored.name == name
        for storage in forum.registry.photo_storages.all()
        for stored in storage.list_objects()
    )


def logo_name(forum: Forum) -> str:
    with forum.database.reads.connect() as db:
        return str(db.scalar(select(SiteText.logo)))


def test_a_logo_is_small_shown_and_gone_when_it_is_replaced(forum, admin, visitor):
    sent(admin.form(PAGE), logo=picture("teal"))
    first, address = logo_name(forum), logo_of(visitor.get("/"))
    answer = visitor.get(address)
    assert Image.open(BytesIO(answer.body)).size == (480, 60)
    assert "immutable" in answer.headers["Cache-Control"]
    assert address in visitor.get("/static/manifest").text
    sent(admin.form(PAGE), logo=picture("red"))
    assert logo_of(visitor.get("/")) not in (None, address)
    assert (is_stored(forum, first), is_stored(forum, logo_name(forum))) == (False, True)
    last = logo_name(forum)
    sent(admin.form(PAGE), no_logo="1")
    assert (logo_of(visitor.get("/")), is_stored(forum, last)) == (None, False)
    assert visitor.get("/static/logo").status_int == 404


@pytest.mark.parametrize(
    ("upload", "reason"),
    [
        (Upload("logo.svg", SVG, "image/svg+xml"), "Not a PNG"),
        (Upload("logo.png", SVG, "image/png"), "Not a PNG"),
        (Upload("logo.png", b"\x89PNG\r\n\x1a\n" + bytes(10_000_001), "image/png"), "too large"),
    ],
    ids=["svg", "svg-as-png", "ten-megabytes"],
)
def test_a_logo_that_is_no_picture_or_too_large_is_refused(forum, admin, upload, reason):
    page = sent(admin.form(PAGE), name="Tea", logo=upload)
    assert reason.lower() in wrong(page).lower()
    assert page.html.find(id="name")["value"] == "Tea"
    assert forum.count(SiteText) == 0


def test_the_photo_check_and_its_fix_leave_the_logo_alone(forum, admin):
    sent(admin.form(PAGE), logo=picture("teal"))
    later = forum.database, forum.registry.photo_storages, clock.now() + timedelta(hours=3)
    audit = PhotoAudit(*later)
    audit.fix(audit.check(), delete_missing=True)
    assert is_stored(forum, logo_name(forum))


@pytest.mark.both_databases
@pytest.mark.parametrize("path", PATHS)
def test_another_process_shows_the_new_name_under_another_etag(
    forum: Forum, make_forum: MakeForum, admin: Visitor, path: str
):
    path = path.format(forum.topic(forum.person("ann"), forum.node()))
    other = Visitor(make_forum(moderation__blocks_recheck_seconds="0"))
    before = other.get(path)
    assert "The Tea House" not in before.text
    sent(admin.form(PAGE), name="The Tea House")
    headers = {"If-None-Match": before.headers["ETag"]}
    after = other.app.get(path, headers=headers)
    assert (after.status_int, "The Tea House" in after.text) == (200, True)


def test_no_request_has_a_statement_more_for_it(forum, admin, visitor):
    topic = forum.topic(forum.person("ann"), forum.node())
    paths = ("/", f"/topics/{topic}", "/about", "/api/v3/site")

    def counts() -> list[int]:
        found = []
        for path in paths:
            visitor.get(path)
            with counting(forum.database) as seen:
                assert visitor.get(path).status_int == 200
            found.append(len(seen))
        return found

    before = counts()
    sent(admin.form(PAGE), name="The Tea House", rules="Be kind")
    assert counts() == before


def test_a_wrong_logo_and_a_wrong_text_are_shown_at_once(admin):
    page = sent(admin.form(PAGE), name="x" * 61, logo=Upload("logo.svg", SVG, "image/svg+xml"))
    assert {one["id"] for one in page.html.select(".wrong")} == {"name-wrong", "logo-wrong"}


def test_a_logo_beside_a_wrong_text_is_not_kept(forum, admin):
    [storage] = forum.registry.photo_storages.all()
    # Other tests leave objects, which go meanwhile.
    before = {one.name for one in storage.list_objects()}
    sent(admin.form(PAGE), name="x" * 61, logo=picture("teal"))
    assert {one.name for one in storage.list_objects()} <= before
