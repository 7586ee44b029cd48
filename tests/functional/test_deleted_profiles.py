"""A deleted user has no profile any more; their texts stay."""

from pathlib import Path
from typing import Any

import pytest

from forumsvc.models import Photo
from forumsvc.schemas.users import PROFILE_FORM
from forumsvc.services.accounts import profiles
from tests.functional.cli.conftest import INI, Run, run_command
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person
from tests.functional.test_photos import picture, send

PROFILE = {
    "name": "Carol Danvers",
    "location": "Home street 1",
    "company": "Boats",
    "website": "https://carol.example",
    "bio": "I was born there.",
    "tagline": "Here I am",
    "codehost": "carol-code",
    "microblog": "carol-blog",
}


def test_every_text_of_a_profile_is_tried():
    fields = {field.name for field in PROFILE_FORM}
    assert fields == {*PROFILE, "avatar", "email_public", "email", "password", "locale"}


@pytest.fixture
def forum(make_forum: MakeForum) -> Forum:
    return make_forum()  # its photos are in the folder of `run`'s ini file


@pytest.fixture
def run(forum: Forum, tmp_path: Path) -> Run:
    """A function that runs the command while the service runs."""
    path = tmp_path / "forum.ini"
    url = forum.database.url.render_as_string(hide_password=False)
    path.write_text(INI.format(url=url.replace("%", "%%")))
    return lambda *words: run_command("-c", path, *words)


@pytest.fixture
def carol(forum: Forum) -> Person:
    """A user with a profile and an avatar."""
    carol = forum.person("carol")
    address = send(carol).json["image_url"]
    assert carol.put("/users/me", avatar=address, **PROFILE).status_int == 200
    return carol


def pages(forum: Forum, carol: Person, topic: int) -> dict[str, Any]:
    """Return the pages on which others see her."""
    return {
        "user": forum.nobody.get("/users/carol").json,
        "topic": forum.nobody.get(f"/topics/{topic}").json["user"],
        "topics": forum.nobody.get("/topics").json[0]["user"],
        "replies": forum.nobody.get(f"/topics/{topic}/replies").json[0]["user"],
        "followers": forum.nobody.get("/users/dan/followers").json[0],
        "following": forum.nobody.get("/users/dan/following").json[0],
    }


def test_a_deleted_user_shows_no_profile_on_any_page_from_the_next_read_on(forum, carol, run):
    dan = forum.person("dan")
    topic = forum.topic(carol, forum.node(), body="My words")
    forum.reply(carol, topic)
    assert carol.post("/users/dan/follow").status_int == 200
    assert dan.post("/users/carol/follow").status_int == 200
    before = pages(forum, carol, topic)
    assert {page["name"] for page in before.values()} == {"Carol Danvers"}
    avatar = before["user"]["avatar_url"]
    assert forum.app.get(avatar).status_int == 200

    assert run("user", "delete", "carol", "--json", "--yes").json["state"] == "deleted"

    after = pages(forum, carol, topic)
    for where, shown in after.items():
        assert (shown["login"], shown["name"]) == ("carol", "carol"), where
        assert shown["avatar_url"].endswith("/avatars/carol.svg"), where
    profile = after["user"]
    assert profile["level"] == "deleted"
    assert {profile[name] for name in PROFILE.keys() - {"name"}} == {""}
    assert forum.app.get(avatar, status="*").status_int == 404
    assert "My words" in forum.nobody.get(f"/topics/{topic}").json["body_html"]


def test_an_avatar_that_somebody_else_uses_stays(forum, carol, run):
    erin = forum.person("erin")
    erin.put("/users/me", avatar=send(erin).json["image_url"])
    avatar = forum.nobody.get("/users/carol").json["avatar_url"]
    assert forum.nobody.get("/users/erin").json["avatar_url"] == avatar
    run("user", "delete", "carol", "--yes")
    assert forum.app.get(avatar).status_int == 200
    run("user", "delete", "erin", "--yes")
    assert forum.app.get(avatar, status="*").status_int == 404


def test_other_pictures_of_a_deleted_user_stay_in_the_texts(forum, carol, run):
    address = send(carol, picture("green", "PNG")).json["image_url"]
    run("user", "delete", "carol", "--yes")
    assert forum.app.get(address).status_int == 200
    assert forum.count(Photo) == 2


def test_an_edit_that_a_deletion_overtakes_writes_nothing(forum, carol, run, monkeypatch):
    edit = profiles.edit

    def deleted_first(*given: Any, **columns: Any) -> None:
        forum.change(carol.id, state="deleted")
        edit(*given, **columns)

    if not forum.database.is_sqlite:  # there the edit holds the lock that the deletion needs
        monkeypatch.setattr(profiles, "edit", deleted_first)
        assert carol.put("/users/me", location="Home street 2").status_int == 404
    run("user", "delete", "carol", "--yes")
    assert carol.put("/users/me", location="Home street 2").status_int == 401
