"""The size of photos, and their small versions, which go with the photo."""

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from forumsvc.cache.single_flight import SingleFlight
from forumsvc.media import images
from forumsvc.media.limits import Limits
from forumsvc.services.photos import small_versions
from forumsvc.services.photos.photos import Decoding
from tests.cases import each
from tests.databases import on_sqlite
from tests.functional.checked_app import CheckedApp
from tests.functional.forum import Caller, Forum
from tests.functional.test_photos import send, stored
from tests.functional.test_photos_storages import Storages
from tests.functional.test_photos_storages import storages as storages
from tests.object_store import bucket as bucket
from tests.object_store import endpoint as endpoint

RED = (255, 0, 0)
ROTATED = 6
"""The orientation of EXIF that says: turn it by 90 degrees."""


def image_of(size: tuple[int, int], kind: str = "JPEG", **options: Any) -> bytes:
    out = io.BytesIO()
    mode = "RGBA" if options.pop("transparent", False) else "RGB"
    Image.new(mode, size, (*RED, 100) if mode == "RGBA" else RED).save(out, kind, **options)
    return out.getvalue()


def small_of(forum: Forum, photo: dict[str, Any]) -> Image.Image:
    return Image.open(io.BytesIO(forum.app.get(photo["thumbnail_url"]).body))


@each(
    ("size", "kind", "options", "shown", "small"),
    [
        ((1200, 800), "JPEG", {}, (1200, 800), (480, 320)),
        ((481, 3), "PNG", {}, (481, 3), (480, 3)),
        ((3000, 2), "PNG", {}, (3000, 2), (480, 1)),
        ((600, 2400), "WEBP", {}, (600, 2400), (480, 1920)),
        ((900, 600), "PNG", {"transparent": True}, (900, 600), (480, 320)),
        ((1000, 700), "GIF", {}, (1000, 700), (480, 336)),
        ((1200, 800), "JPEG", {"rotated": True}, (800, 1200), (480, 720)),
        ((4000, 3000), "JPEG", {}, (4000, 3000), (480, 360)),
        ((480, 900), "PNG", {}, (480, 900), None),
        ((8, 8), "PNG", {}, (8, 8), None),
        ((600, 400), "JPEG", {"rotated": True}, (400, 600), None),
    ],
)
def test_a_photo_has_the_size_that_is_seen_and_a_small_version(
    forum, alice, size, kind, options, shown, small
):
    options = {**options}
    if options.pop("rotated", False):
        exif = Image.Exif()
        exif[0x0112] = ROTATED
        options["exif"] = exif
    made = send(alice, image_of(size, kind, **options)).json
    assert (made["width"], made["height"]) == shown
    original = Image.open(io.BytesIO(forum.app.get(made["image_url"]).body))
    assert original.size == shown
    if small is None:
        assert made["thumbnail_url"] == made["image_url"]
    else:
        assert made["thumbnail_url"] == f"{made['image_url']}/480"
        assert small_of(forum, made).size == small
    [listed] = [one for one in alice.get("/photos").json if one["id"] == made["id"]]
    assert {name: listed[name] for name in made} == made


@pytest.mark.parametrize("envelope", ["bare", "keyed"])
def test_the_answer_is_the_same_in_both_shapes_and_for_the_same_image(make_forum, envelope):
    alice = make_forum(**{"api.envelope": envelope}).person("alice")
    first, second = (send(alice, image_of((600, 300))).json for _ in range(2))
    assert first == second
    assert set(first) == {"id", "image_url", "width", "height", "thumbnail_url"}


def test_a_small_version_is_served_as_photos_are(forum: Forum, alice: Caller):
    url = send(alice, image_of((900, 600))).json["thumbnail_url"]
    served = forum.app.get(url)
    assert served.content_type == "image/jpeg"
    assert served.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert served.headers["X-Content-Type-Options"] == "nosniff"
    tag = {"If-None-Match": served.headers["ETag"]}
    assert forum.app.get(url, headers=tag, status=304).body == b""
    assert forum.app.head(url).headers["Content-Length"] == str(len(served.body))
    see_through = send(alice, image_of((900, 600), "PNG", transparent=True)).json
    assert forum.app.get(see_through["thumbnail_url"]).content_type == "image/png"


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A list that gets an item each time a photo is decoded for its small version."""
    calls, shrink = [], small_versions.shrink

    def counted(*given: Any) -> Any:
        calls.append(given)
        return shrink(*given)

    monkeypatch.setattr(small_versions, "shrink", counted)
    return calls


def test_it_is_made_once_and_goes_with_the_photo(forum: Forum, alice: Caller, tried: list[Any]):
    photo = send(alice, image_of((777, 400))).json
    first, second = (forum.app.get(photo["thumbnail_url"]).body for _ in range(2))
    assert (first, len(tried)) == (second, 1)
    name = photo["image_url"].rpartition("/")[2]
    folder = Path(forum.registry.photo_storages.current._folder)
    assert len([one for one in stored(folder) if one.name == name]) == 2
    assert alice.call("DELETE", f"/photos/{photo['id']}").status_int == 200
    assert [one for one in stored(folder) if one.name == name] == []
    for url in (photo["image_url"], photo["thumbnail_url"]):
        assert forum.app.get(url, status=404).content_type == "application/json"


def test_no_photo_and_another_size_are_404(forum: Forum, alice: Caller):
    photo = send(alice, image_of((900, 601))).json
    unknown = f"/photos/ab/ab{'0' * 62}.png/480"
    for path in (unknown, "/photos/ab/x.png/480", f"{photo['image_url']}/481"):
        forum.app.get(path, status=404)


def test_a_photo_that_cannot_be_decoded_any_more_is_shown_itself(forum: Forum, alice: Caller):
    photo = send(alice, image_of((902, 600), "PNG")).json
    forum.registry.photo_decoding = Decoding(Limits(max_pixels=10))
    try:
        assert forum.app.get(photo["thumbnail_url"]).body == forum.app.get(photo["image_url"]).body
    finally:
        forum.registry.photo_decoding = Decoding(Limits())


def test_a_photo_that_cannot_be_decoded_is_tried_once_and_again_with_other_limits(
    forum: Forum, alice: Caller, tried: list[Any]
):
    photo = send(alice, image_of((904, 600), "PNG")).json
    try:
        for most, times in ((10, 1), (20, 2)):
            forum.registry.photo_decoding = Decoding(Limits(max_pixels=most))
            for _ in range(3):
                forum.app.get(photo["thumbnail_url"])
            assert len(tried) == times
    finally:
        forum.registry.photo_decoding = Decoding(Limits())
    assert small_of(forum, photo).size == (480, 319)


def test_who_asks_for_a_small_version_that_is_being_made_gets_the_photo(
    forum: Forum, alice: Caller, tried: list[Any], monkeypatch: pytest.MonkeyPatch
):
    photo = send(alice, image_of((905, 600))).json
    answers: list[Any] = []
    shrink = small_versions.shrink

    def ask_meanwhile(*given: Any) -> Any:
        if not answers:
            answers.append(None)
            answers[0] = CheckedApp(forum.application).get(photo["thumbnail_url"])
        return shrink(*given)

    monkeypatch.setattr(small_versions, "shrink", ask_meanwhile)
    monkeypatch.setattr(forum.registry, "single_flight", SingleFlight(0))
    assert small_of(forum, photo).size == (480, 318)
    [meanwhile] = answers
    assert meanwhile.body == forum.app.get(photo["image_url"]).body
    assert meanwhile.headers["Cache-Control"] == "no-store"
    assert len(tried) == 1


def test_a_photo_that_is_deleted_meanwhile_leaves_nothing(
    forum: Forum, alice: Caller, monkeypatch: pytest.MonkeyPatch
):
    photo = send(alice, image_of((903, 600))).json
    name = photo["image_url"].rpartition("/photos/")[2]
    storage, shrink = forum.registry.photo_storages.current, images.shrink

    def deleted_meanwhile(*given: Any) -> Any:
        small = shrink(*given)
        storage.delete(name)
        return small

    monkeypatch.setattr(small_versions, "shrink", deleted_meanwhile)
    forum.app.get(photo["thumbnail_url"], status=404)
    assert [one for one in stored(Path(storage._folder)) if one.name in name] == []


@on_sqlite
def test_in_a_bucket_it_is_kept_too_and_no_check_or_copy_takes_it_for_a_photo(storages: Storages):
    forum = storages.open()
    photo = send(forum.person("alice"), image_of((900, 602))).json
    assert small_of(forum, photo).size == (480, 321)
    assert storages.command("check", "--every-byte").json["wrong"] == 0
    report = storages.copy("--delete", "--yes").json
    assert (report["copied"], report["deleted"], stored(storages.folder)) == (1, 1, [])
    assert small_of(forum, photo).size == (480, 321)
    assert storages.files() == (0, 2)
    assert storages.command("check", "--every-byte", "--fix").json["wrong"] == 0
    assert small_of(forum, photo).size == (480, 321)
    assert storages.files() == (0, 2)
