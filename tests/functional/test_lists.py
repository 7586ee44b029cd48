"""Lists: what rows of tests/functional/api cannot say."""

import pytest
from sqlalchemy import insert

from forumsvc.db import keyset_paging
from forumsvc.models import Section


@pytest.mark.usefixtures("frozen_clock")
def test_ties_are_broken_by_the_newer_topic(forum, chief, node):
    topics = [forum.topic(chief, node) for _ in range(4)]
    for number in (1, 0, 3, 2):
        chief.post(f"/topics/{topics[number]}/action?type=excellent")
    for kind in ("last_actived", "recent", "no_reply", "popular", "excellent"):
        listed = [topic["id"] for topic in chief.get("/topics", type=kind).json]
        assert listed == topics[::-1], kind


def test_users_are_20_or_as_many_as_are_asked_for(forum):
    for number in range(22):
        forum.person(f"user{number:02}")
    assert len(forum.nobody.get("/users").json) == 20
    assert len(forum.nobody.get("/users", limit=100).json) == 22


def test_nodes_are_listed_by_sort_descending_then_id_with_their_section(forum):
    with forum.database.session.begin() as db:
        section = db.execute(insert(Section).values(name="Big").returning(Section.id)).scalar_one()
    made = [forum.node(f"N{sort}{n}", sort=sort) for n, sort in enumerate((0, 5, 0, 5, -1))]
    inside = forum.node("In", section_id=section, summary="*All*", sort=3)
    listed = forum.nobody.get("/nodes").json
    order = [made[1], made[3], inside, made[0], made[2], made[4]]
    assert [node["id"] for node in listed] == order
    shown = forum.nobody.get(f"/nodes/{inside}").json
    expected = {"name": "In", "summary": "*All*", "sort": 3, "topics_count": 0}
    expected |= {"section_id": section, "section_name": "Big"}
    assert {key: shown[key] for key in expected} == expected
    assert {key: shown[key] for key in listed[2]} == listed[2]
    alone = forum.nobody.get(f"/nodes/{made[0]}").json
    assert (alone["section_id"], alone["section_name"], alone["summary"]) == (None, None, "")


@pytest.mark.parametrize("deep", [False, True])
def test_replies_and_favorites_of_hidden_topics_are_not_listed(
    forum, alice, chief, node, monkeypatch, deep
):
    if deep:
        # What is asked far down a list, asked at its front.
        monkeypatch.setattr(keyset_paging, "_LARGE_OFFSET", 0)
    shown, banned, deleted = topics = [forum.topic(chief, node) for _ in range(3)]
    replies = [forum.reply(alice, topic) for topic in topics]
    for topic in topics:
        alice.post(f"/topics/{topic}/favorite")
    chief.post(f"/topics/{banned}/action", type="ban")
    chief.delete(f"/topics/{deleted}")
    assert [one["id"] for one in forum.nobody.get("/users/alice/replies").json] == replies[:1]
    assert [one["id"] for one in forum.nobody.get("/users/alice/favorites").json] == [shown]
