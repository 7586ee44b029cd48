"""A member's own photos: listing, deleting, and the quota."""

import threading
from functools import partial
from typing import Any

import pytest
import zope.sqlalchemy.datamanager
from sqlalchemy.orm import Session

from forumsvc.db.execution import ReadConnection
from forumsvc.media import images
from forumsvc.services.photos import photos
from forumsvc.services.photos.photos import Quota
from tests.functional.forum import Person
from tests.functional.test_photos import picture, send, stored
from tests.functional.threads import alone, statuses, together

COLOURS = ("red", "green", "blue", "white")  # as many as may wait for the decoder at once


def upload(person: Person, colour: str = "red") -> str:
    """Upload a photo and return its URL."""
    answer = send(person, picture(colour))
    assert answer.status_int == 201, answer.text
    return str(answer.json["image_url"])


def id_of(person: Person, url: str) -> int:
    [found] = [one["id"] for one in person.get("/photos").json if one["image_url"] == url]
    return int(found)


def sizes(person: Person) -> list[int]:
    """Return the sizes of the person's photos, the newest first."""
    return [one["size"] for one in person.get("/photos").json]


def test_the_own_photos_are_listed_the_newest_first_and_nobody_elses(forum, alice):
    upload(forum.person("bob"), "green")
    urls = [upload(alice, colour) for colour in COLOURS[:3]]
    shown = alice.get("/photos").json
    assert [one["image_url"] for one in shown] == urls[::-1]
    fields = {"id", "image_url", "width", "height", "thumbnail_url", "size", "created_at"}
    assert all(set(one) == fields for one in shown)
    assert shown[0]["size"] == len(forum.app.get(urls[-1]).body)
    page = alice.get("/photos", limit=2)
    assert [one["image_url"] for one in page.json] == urls[:0:-1]
    assert 'rel="next"' in page.headers["Link"]


def test_a_deleted_photo_is_gone_with_its_bytes(make_forum, tmp_path):
    forum = make_forum()
    alice = forum.person("alice")
    url = upload(alice)
    photo_id = id_of(alice, url)
    assert alice.delete(f"/photos/{photo_id}").json == {"ok": 1}
    assert alice.get("/photos").json == []
    assert stored(tmp_path / "var" / "photos") == []
    forum.app.get(url, status=404)
    assert alice.delete(f"/photos/{photo_id}").status_int == 404
    assert upload(alice) == url
    forum.app.get(url, status=200)


def test_bytes_that_another_user_has_stay_until_the_last_one_deletes_them(forum, bob, alice):
    url = upload(alice)
    assert upload(bob) == url
    alice.delete(f"/photos/{id_of(alice, url)}")
    forum.app.get(url, status=200)
    bob.delete(f"/photos/{id_of(bob, url)}")
    forum.app.get(url, status=404)


def test_bytes_that_are_an_avatar_stay(forum, alice):
    avatar = alice.put("/users/me", avatar=upload(alice)).json["avatar_url"]
    for one in alice.get("/photos").json:
        assert alice.delete(f"/photos/{one['id']}").status_int == 200
    assert alice.get("/photos").json == []
    forum.app.get(avatar, status=200)


def test_a_deletion_that_is_rolled_back_leaves_the_bytes(make_forum, monkeypatch):
    forum = make_forum()
    alice = forum.person("alice")
    url = upload(alice)
    photo_id = id_of(alice, url)

    def fail(*args: object) -> None:
        raise OSError("the last statement fails")

    monkeypatch.setattr("forumsvc.views.photos.Ok", fail)
    assert alice.delete(f"/photos/{photo_id}").status_int == 500
    forum.app.get(url, status=200)
    assert id_of(alice, url) == photo_id


def test_an_upload_whose_commit_fails_leaves_no_bytes(make_forum, tmp_path, monkeypatch):
    alice = make_forum().person("alice")

    def fail(*args: object) -> None:
        raise OSError("the COMMIT fails")

    monkeypatch.setattr(zope.sqlalchemy.datamanager.SessionDataManager, "tpc_vote", fail)
    assert send(alice).status_int == 500
    monkeypatch.undo()
    assert stored(tmp_path / "var" / "photos") == []
    assert alice.get("/photos").json == []


def test_bytes_that_are_removed_while_they_are_uploaded_again_are_there_in_the_end(
    make_forum, monkeypatch
):
    forum = make_forum()
    alice, bob = forum.person("alice"), forum.person("bob")
    url = upload(alice)
    photo_id = id_of(alice, url)
    store = forum.registry.photo_storages.current.put
    puts: list[Any] = []

    def put(*args: object) -> bool:
        done = bool(store(*args))
        if not puts:  # between the bytes of bob's upload and its row
            puts.append(args)
            assert alice.delete(f"/photos/{photo_id}").status_int == 200
            forum.app.get(url, status=404)
        return done

    monkeypatch.setattr(forum.registry.photo_storages.current, "put", put)
    assert upload(bob) == url
    forum.app.get(url, status=200)


def test_moderators_delete_the_photos_of_others(forum, alice):
    url = upload(alice)
    moderator = forum.person("mod", role="maintainer")
    assert moderator.delete(f"/photos/{id_of(alice, url)}").status_int == 200
    forum.app.get(url, status=404)


def test_an_upload_beyond_the_quota_is_refused_and_a_deletion_makes_room(make_forum, tmp_path):
    size = len(picture("red"))
    forum = make_forum(photos__quota=str(size * 3))
    alice = forum.person("alice")
    urls: list[str] = []
    while (answer := send(alice, picture(COLOURS[len(urls)]))).status_int == 201:
        urls.append(answer.json["image_url"])
    assert answer.status_int == 400
    assert answer.json["error"].startswith("file: does not fit into your quota:")
    assert sum(sizes(alice)) <= size * 3
    assert len(stored(tmp_path / "var" / "photos")) == len(urls)
    for url in urls:
        alice.delete(f"/photos/{id_of(alice, url)}")
    upload(alice, "white")


def test_an_upload_that_cannot_fit_is_refused_before_it_is_decoded(make_forum, monkeypatch):
    forum = make_forum(photos__quota="100")

    def decode(*args: object) -> None:
        pytest.fail("the picture is decoded")

    monkeypatch.setattr(images, "_run_worker", decode)
    answer = send(forum.person("alice"))
    assert (answer.status_int, answer.json["error"][:5]) == (400, "file:")


def test_uploads_at_once_do_not_exceed_the_quota_together(make_forum, monkeypatch):
    quota = len(picture("red")) * 2
    forum = make_forum(photos__quota=str(quota))
    alice = forum.person("alice")
    measured = threading.Barrier(len(COLOURS))
    record = photos.record

    def record_together(*args: Any, **keywords: Any) -> str:
        measured.wait(60)  # by now each has found that it fits
        return record(*args, **keywords)

    monkeypatch.setattr(photos, "record", record_together)
    uploads = [partial(send, alone(forum, alice), picture(colour)) for colour in COLOURS]
    found = statuses(together(uploads))
    assert set(found) == {201, 400}
    assert len(sizes(alice)) == found[201]
    assert sum(sizes(alice)) <= quota


def test_the_quota_bounds_avatars_too_and_names_the_parameter(make_forum):
    quota = len(picture("red")) + 1
    forum = make_forum(photos__quota=str(quota))
    alice = forum.person("alice")
    answer = alice.put("/users/me", avatar=upload(alice))
    assert answer.status_int == 400
    assert answer.json["error"].startswith("avatar: does not fit into your quota:")


@pytest.mark.parametrize("quota", ["0", "off"])
def test_a_quota_of_nothing_or_off_bounds_nobody(make_forum, quota):
    upload(make_forum(photos__quota=quota).person("alice"))


def test_maintainers_and_admins_have_no_quota(make_forum):
    forum = make_forum(photos__quota="1")
    upload(forum.person("mod", role="maintainer"))
    assert send(forum.person("alice")).status_int == 400


def full_under_the_lock(quota: Quota, db: ReadConnection) -> int | None:
    """Simulate a concurrent upload of the same member: return what remains after it."""
    return -1 if isinstance(db, Session) else quota.max_bytes


def test_an_upload_that_the_transaction_refuses_leaves_no_bytes(make_forum, tmp_path, monkeypatch):
    alice = make_forum().person("alice")
    kept = upload(alice)
    monkeypatch.setattr(Quota, "remaining_bytes", full_under_the_lock)
    answer = send(alice, picture("green"))
    assert (answer.status_int, answer.json["error"][:5]) == (400, "file:")
    assert [path.name for path in stored(tmp_path / "var" / "photos")] == [kept.split("/")[-1]]


def test_a_refused_upload_of_a_picture_that_somebody_has_leaves_it_to_them(make_forum, monkeypatch):
    forum = make_forum()
    url = upload(forum.person("bob"))
    monkeypatch.setattr(Quota, "remaining_bytes", full_under_the_lock)
    assert send(forum.person("alice")).status_int == 400
    forum.app.get(url, status=200)


def test_slow_pictures_of_one_member_do_not_refuse_those_of_others(make_forum, monkeypatch):
    forum = make_forum()
    mallory, alice = forum.person("mallory"), forum.person("alice")
    run_worker = images._run_worker
    enter = images._QUEUE._enter
    slow, crowded, alice_waits = threading.Event(), threading.Semaphore(0), threading.Event()

    def run(*args: Any) -> dict[str, Any]:
        if not slow.is_set():
            slow.set()
            assert alice_waits.wait(60)  # until there is no place in the queue, and alice comes
        return run_worker(*args)

    def enter_and_tell(user: int) -> Any:
        place = enter(user)
        (alice_waits.set if user == alice.id else crowded.release)()
        return place

    monkeypatch.setattr(images, "_run_worker", run)
    monkeypatch.setattr(images._QUEUE, "_enter", enter_and_tell)

    def send_late() -> Any:
        for _ in COLOURS:
            assert crowded.acquire(timeout=60)
        return send(alone(forum, alice))

    slow_ones = [partial(send, alone(forum, mallory), picture(colour)) for colour in COLOURS]
    *refused_or_not, answer = together([*slow_ones, send_late])
    assert answer.status_int == 201
    assert statuses(refused_or_not) == {201: 3, 429: 1}
    [refused] = [one for one in refused_or_not if one.status_int == 429]
    assert int(refused.headers["Retry-After"]) >= 1


def test_a_member_whose_pictures_took_too_long_learns_when_to_come_back(make_forum, monkeypatch):
    forum = make_forum(markup__user_seconds_per_minute="10")
    alice = forum.person("alice")
    url = upload(alice)
    budget = forum.registry.photo_decoding.budget
    assert 0 < budget._accounts[alice.id].used_seconds < 5
    with budget.acquire(alice.id) as used:
        used(30)
    upload(forum.person("bob"))
    monkeypatch.setattr(images, "_run_worker", lambda *_: pytest.fail("it is decoded"))
    for answer in (send(alice, picture("green")), alice.put("/users/me", avatar=url)):
        assert answer.status_int == 429
        assert 100 < int(answer.headers["Retry-After"]) <= 121
