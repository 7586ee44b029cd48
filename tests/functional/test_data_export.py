"""What an export of a person's data has in it, and what it must not have."""

import io
import json
import re
import tracemalloc
import zipfile
from typing import Any

import pytest
from sqlalchemy import update

from forumsvc import clock
from forumsvc.models import (
    BrowserSession,
    OAuthToken,
    Reply,
    Restriction,
    RestrictionKind,
)
from forumsvc.queries import personal_data
from forumsvc.services.accounts import data_export
from tests.functional.forum import Forum, Person
from tests.functional.rows import insert_row, insert_rows
from tests.functional.statements import counting
from tests.functional.test_photos import picture, send

pytestmark = pytest.mark.both_databases

_HASH = "5f" * 32


def exported(forum: Forum, user: Person) -> zipfile.ZipFile:
    """Return the export of a user."""
    file = io.BytesIO()
    with forum.database.reads.connect() as db:
        data_export.write_export(db, user.id, file, forum.registry.photo_storages)
    archive = zipfile.ZipFile(file)
    assert archive.testzip() is None
    return archive


def part(archive: zipfile.ZipFile, name: str) -> Any:
    """Return the JSON of a part."""
    return json.loads(archive.read(f"{name}.json"))


def test_an_export_has_what_the_person_wrote_and_did(forum, alice, bob, topic):
    other = forum.topic(bob, forum.node("Others"), "Of Bob", "Text of Bob")
    reply = forum.reply(alice, other, "Reply of *Alice*")
    deleted = forum.reply(alice, other, "Deleted by Alice")
    alice.delete(f"/replies/{deleted}")
    alice.post("/likes", obj_type="topic", obj_id=other)
    alice.post(f"/topics/{other}/favorite")
    alice.post(f"/topics/{other}/follow")
    bob.post(f"/users/{alice.id}/follow")
    alice.post("/users/bob/follow")
    alice.post("/users/bob/block")
    muted = forum.node("Muted")
    alice.post(f"/nodes/{muted}/mute")
    alice.post("/devices", platform="ios", token="740f4707")
    alice.put("/drafts/reply-1", body="Begun")
    alice.post("/reports", obj_type="topic", obj_id=other, category="spam", comment="My report")
    alice.put("/users/me", bio="About Alice")

    archive = exported(forum, alice)

    assert part(archive, "profile")["bio"] == "About Alice"
    assert [one["body"] for one in part(archive, "topics")] == ["A body"]
    replies = [(one["id"], one["body"]) for one in part(archive, "replies")]
    assert replies == [(reply, "Reply of *Alice*"), (deleted, "Deleted by Alice")]
    for name in ("liked_topics", "favorites"):
        assert [one["topic_id"] for one in part(archive, name)] == [other], name
    assert other in [one["topic_id"] for one in part(archive, "followed_topics")]
    assert [one["login"] for one in part(archive, "blocked_users")] == ["bob"]
    assert [one["node_id"] for one in part(archive, "muted_nodes")] == [muted]
    assert [one["token"] for one in part(archive, "devices")] == ["740f4707"]
    assert [one["body"] for one in part(archive, "drafts")] == ["Begun"]
    assert [one["comment"] for one in part(archive, "reports")] == ["My report"]
    assert [one["type"] for one in part(archive, "notifications")] == ["Follow"]
    assert [one["scope"] for one in part(archive, "applications")] == ["read write"]
    assert part(archive, "own_applications") == part(archive, "held_posts") == []
    readme = archive.read("README.txt").decode()
    files = [name for name in archive.namelist() if name.endswith(".json")]
    assert re.findall(r"^(\w+\.json)", readme, re.MULTILINE) == files
    assert "\nfavorites.json          your favorites\n" in readme
    assert "主题" in readme
    assert "主题、" in readme
    assert "和照片。" in readme


def test_the_files_of_photos_are_in_it_and_one_that_is_gone_is_named(forum, alice, bob):
    urls = [send(alice, picture(colour)).json["image_url"] for colour in ("red", "green")]
    send(bob, picture("blue"))
    gone = "/".join(urls[1].split("/")[-2:])
    forum.registry.photo_storages.current.delete(gone)

    archive = exported(forum, alice)

    listed = part(archive, "photos")
    assert [one["file"] is None for one in listed] == [False, True]
    files = [name for name in archive.namelist() if name.startswith("photos/")]
    assert files == [listed[0]["file"]]
    assert archive.read(files[0]) == forum.app.get(urls[0]).body


def test_an_export_has_no_secret_and_no_text_of_others(forum, alice, bob, node):
    chief = forum.person("chief", role="maintainer", scope="read write moderate")
    now = clock.now()
    forum.change(bob.id, email="bob@example.org", email_key="bob@example.org", bio="Bio of Bob")
    forum.change(alice.id, password_hash=f"$argon2id${_HASH}")
    other = forum.topic(bob, node, "Title by Bob", "Text by Bob, for @alice")
    forum.reply(bob, forum.topic(alice, node), "Answer by Bob")
    alice.post("/reports", obj_type="topic", obj_id=other, category="spam")
    chief.post(f"/topics/{other}/action?type=ban", reason="Reason to Bob")
    [review] = chief.get("/reviews").json
    chief.post(f"/reviews/{review['id']}/resolve", decision="hide", version=review["version"])
    with forum.database.session.begin() as db:
        moments = {"created_at": now, "expires_at": now}
        insert_row(db, BrowserSession, user_id=alice.id, secret_hash=_HASH, **moments)
        kind, reason = RestrictionKind.WARNING, "Reason to Alice"
        values = {"kind": kind, "reason": reason, "note": "Note of staff", "started_at": now}
        insert_row(db, Restriction, user_id=alice.id, by_id=chief.id, **values)
        db.execute(
            update(OAuthToken)
            .where(OAuthToken.user_id == alice.id)
            .values(refresh_hash=_HASH, family=_HASH)
        )

    archive = exported(forum, alice)

    whole = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert "Reason to Alice" in whole
    token = alice.token or ""
    secrets = (token, _HASH, "argon2", "Note of staff", "chief", "bob@example.org")
    texts = ("Title by Bob", "Text by Bob", "Answer by Bob", "Bio of Bob", "Reason to Bob")
    assert [found for found in (*secrets, *texts) if found in whole] == []
    selects = (*personal_data.PARTS.values(), personal_data.PHOTOS)
    names = {column.name for one in selects for column in one.selected_columns}
    assert not [name for name in names if "hash" in name or "secret" in name or "family" in name]


def test_an_export_of_many_posts_takes_little_memory_and_a_select_for_each_batch(
    forum, alice, topic
):
    posts, body = 20_000, "A line of a post. " * 20
    now = clock.now()
    row = {"topic_id": topic, "user_id": alice.id, "body": body, "body_html": ""}
    times = {"created_at": now, "updated_at": now, "markup_version": 1}
    with forum.database.session.begin() as db:
        insert_rows(db, Reply, [{**row, **times} for _ in range(posts)])

    class Sink(io.RawIOBase):
        def write(self, data: Any) -> int:
            return len(data)

    tracemalloc.start()
    try:
        with counting(forum.database) as seen, forum.database.reads.connect() as reads:
            storages = forum.registry.photo_storages
            data_export.write_export(reads, alice.id, Sink(), storages)  # type: ignore[arg-type]
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 5_000_000 < posts * len(body)
    assert len(seen) < posts / personal_data.BATCH_SIZE + 30
