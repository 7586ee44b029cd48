"""Avatars: made from an upload, shown, removed."""

import io
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from PIL import Image
from sqlalchemy import update

from forumsvc.models import Photo, Topic
from forumsvc.services.photos import photos
from tests.functional.test_photos import picture, send


def test_every_form_of_its_address_names_an_uploaded_picture(alice):
    url = send(alice).json["image_url"]
    name = "/".join(url.split("/")[-2:])
    shown = {
        alice.put("/users/me", avatar=form).json["avatar_url"]
        for form in (url, f"{url}?X-Amz-Signature=x", f"/photos/{name}", name, f" {name} ")
    }
    assert len(shown) == 1


def test_a_file_or_the_picture_of_somebody_else_is_no_avatar(alice, bob):
    answer = alice.call("PUT", "/users/me", upload_files=[("avatar", "a.png", b"x")])
    assert (answer.status_int, answer.json) == (400, {"error": "avatar: must be a text"})
    refused = bob.put("/users/me", avatar=send(alice).json["image_url"])
    assert (refused.status_int, refused.json["error"][:7]) == (400, "avatar:")


def test_an_animation_becomes_a_still_picture(forum, alice):
    url = send(alice, picture("red", "GIF", frames=5)).json["image_url"]
    served = forum.app.get(alice.put("/users/me", avatar=url).json["avatar_url"])
    shown = Image.open(io.BytesIO(served.body))
    assert (shown.format, shown.size, getattr(shown, "n_frames", 1)) == ("JPEG", (240, 240), 1)
    colour: Any = shown.convert("RGB").getpixel((120, 120))
    red, green, blue = colour
    assert (red > 200, green < 60, blue < 60) == (True, True, True)


def test_a_picture_whose_file_is_gone_is_400_and_nothing_changes(make_forum, tmp_path):
    forum = make_forum()
    alice = forum.person("alice")
    url = send(alice).json["image_url"]
    before = alice.get("/users/me").json
    (tmp_path / "var/photos" / "/".join(url.split("/")[-2:])).unlink()
    answer = alice.put("/users/me", avatar=url, location="Rome")
    assert (answer.status_int, answer.json["error"][:7]) == (400, "avatar:")
    assert alice.get("/users/me").json == before
    assert send(alice).json["image_url"] == url
    assert alice.put("/users/me", avatar=url).status_int == 200


def test_a_picture_is_shown_in_every_list_and_gone_once_it_is_taken_off(forum, alice):
    forum.topic(alice, forum.node())
    avatar = alice.put("/users/me", avatar=send(alice).json["image_url"]).json["avatar_url"]
    assert forum.nobody.get("/topics").json[0]["user"]["avatar_url"] == avatar
    alice.put("/users/me", avatar="")
    letter = forum.nobody.get("/topics").json[0]["user"]["avatar_url"]
    assert letter == "http://localhost/avatars/alice.svg"
    served = forum.app.get(letter)
    assert served.headers["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert served.body.startswith(b"<svg")
    assert served.headers["X-Content-Type-Options"] == "nosniff"
    assert served.headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_concurrent_identical_avatars_are_stored_once(forum, alice):
    url = send(alice).json["image_url"]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: alice.put("/users/me", avatar=url), range(4)))
    assert [answer.status_int for answer in answers] == [200] * 4
    assert len({answer.json["avatar_url"] for answer in answers}) == 1
    assert forum.count(Photo) == 2


def test_an_avatar_is_made_while_no_lock_is_held(forum, alice, topic, monkeypatch):
    make, writes = photos.thumbnail, []

    def while_another_user_writes(*args: Any, **kw: Any) -> Any:
        with forum.database.session.begin() as db:
            db.execute(update(Topic).values(hits=Topic.hits + 1))
        writes.append(topic)
        return make(*args, **kw)

    url = send(alice).json["image_url"]
    monkeypatch.setattr(photos, "thumbnail", while_another_user_writes)
    assert (alice.put("/users/me", avatar=url).status_int, len(writes)) == (200, 1)
