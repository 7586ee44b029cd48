"""Marks that only the service, a proxy or a form may set change no decision when a client sends
them.
"""

from typing import Any

import pytest

from forumsvc.models import Reply, Topic
from tests.functional.blocking import ADDRESS, block, root_of
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, content

HEADERS: tuple[dict[str, str], ...] = (
    {},
    {"X-Request-Id": "sweep-1"},
    {"User-Agent": "forumsvc"},
    {"X-Forwarded-For": "127.0.0.1"},
    {"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "a.test"},
    {"Forwarded": 'for=127.0.0.1;host="a.test";proto=https'},
    {"X-Real-Ip": "127.0.0.1"},
    {"X-Tm": "commit"},
    {"X-Http-Method-Override": "GET"},
    {"Idempotency-Key": '"another"'},
)
FIELDS: tuple[dict[str, Any], ...] = (
    {"version": 99},
    {"id": 77, "user_id": 1, "actor_id": 1, "via": "auto"},
    {"role": "admin", "state": 1, "approved_at": "2020-01-01T00:00:00Z"},
    {"created_at": "2020-01-01T00:00:00Z", "held": 0, "hold": "false", "force": "true"},
    {"likes_count": 9, "excellent_at": "2020-01-01T00:00:00Z", "body_html": "<script></script>"},
)
ALL: list[tuple[dict[str, str], dict[str, Any]]] = [(headers, {}) for headers in HEADERS] + [
    ({}, fields) for fields in FIELDS
]


@pytest.fixture
def forum(make_forum: MakeForum) -> Forum:
    """A forum that counts what members write, and looks at words."""
    return make_forum(
        posts__topics_per_hour="1", posts__forbidden_words="viagra", posts__held_words="casino"
    )


def test_no_mark_lifts_a_block_a_limit_or_a_rule(forum):
    node, alice, bob = forum.node(), forum.person("alice"), forum.person("bob")
    topic = forum.topic(alice, node)
    block(root_of(forum), f"{ADDRESS}/32", "write")
    for headers, fields in ALL:

        def post(path: str, address: str = "198.51.100.1", **more: Any) -> int:
            sent = {**more, **fields}  # noqa: B023
            environ = {"REMOTE_ADDR": address}
            answer = bob.call("POST", path, sent, headers=headers, extra_environ=environ)  # noqa: B023
            return answer.status_int

        where = (headers, fields)
        replies = f"/topics/{topic}/replies"
        assert post(replies, ADDRESS, body="From a blocked network") == 403, where
        assert post(replies, body="Buy viagra") == 400, where
        assert alice_posts(forum, alice, node, headers, fields) == 429, where
        assert bob.call("DELETE", f"/topics/{topic}", fields, headers=headers).status_int == 403
    assert (forum.count(Topic), forum.count(Reply)) == (1, 0)


def alice_posts(forum: Forum, alice: Any, node: int, headers: Any, fields: Any) -> int:
    """Try to open a second topic within the hour, and return the status."""
    given = {"title": "Again", "body": "Again", "node_id": node, **fields}
    return int(alice.call("POST", "/topics", given, headers=headers).status_int)


def test_no_field_writes_a_column_that_the_service_sets(forum):
    node, bob = forum.node(), forum.person("bob")
    topic = forum.topic(forum.person("alice"), node)
    for number, fields in enumerate(FIELDS):
        made = bob.post(f"/topics/{topic}/replies", **{**fields, "body": f"Reply {number}"})
        assert made.status_int == 201
        shown = content(made)
        assert shown["id"] != 77
        assert shown["user"]["login"] == "bob"
        assert shown["likes_count"] == 0
        assert not shown["created_at"].startswith("2020")
        assert "script" not in shown["body_html"]
        assert bob.put("/users/me", **fields).status_int == 200
    me = content(bob.get("/users/me"))
    assert (me["id"], me["login"], me["level"]) == (bob.id, "bob", "member")
