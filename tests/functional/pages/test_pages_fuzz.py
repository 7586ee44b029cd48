"""No address of a page, and no parameter, is answered with 5xx, whoever asks."""

import random
import re
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from forumsvc.db.cursors import Cursor
from tests.databases import on_sqlite
from tests.functional.forum import Forum
from tests.functional.pages.community import Community, settle
from tests.functional.pages.visitor import Visitor, with_password

_PLACE = re.compile(r"{(\w+)(?::[^}]*)?}")
_TEXTS = (
    *("", " ", "0", "1", "2", "01", "-1", "1.5", "1e3", "999999", "1000001", "9" * 19, "9" * 400),
    *("true", "null", "None", "[]", "{}", "%", "%25", "..", "../..", "//", "\\", "'", '"', "<b>"),
    *(
        "\x00",
        "\n",
        "\r\nX: y",
        "\u0663",
        "\u202e",
        "\ufeff",
        "é",
        "e\u0301" * 40,
        "👩‍🚀",
        "数据库",
    ),
    *("*", "a*", "-a", '"a b', "(a OR", "title:a", "node:1", "by:@ann", "since:2026-13-99"),
    *("x" * 3_000, "ann", "bob", "nobody-is-called-so", "2026-01-01", "0001-01-01", "9999-12-31"),
    *("topic.banned", "topics", "replies", "spam", "held", "report", "relevance", "newest"),
    *("https://example.org/", "//example.org", "/topics", "code", "read write", "S256"),
)
_PAGING = ("page", "before", "after")
_NAMES = (
    *("action", "q", "by", "node", "since", "until", "sort", "type"),
    *("kind", "status", "user", "actor", "category", "node_id", "quote", "next", "flash_message"),
    *("reset_token", "token", "code", "state", "client_id", "response_type", "redirect_uri"),
    *("scope", "code_challenge", "code_challenge_method", "preview", "lang", "topic_id", "obj_id"),
)
_LISTS = (
    *(
        "topics.last_actived",
        "topics.recent",
        "topics.popular",
        "log",
        "reviews",
        "notifications",
    ),
    *("likes.topic", "followers", "user_replies", "user_topics.recent", "search", "post_versions"),
)


def _patterns(registry: Any) -> list[str]:
    """Return the patterns of the routes that answer GET, without those of the API and files."""
    views = (entry["introspectable"] for entry in registry.introspector.get_category("views"))
    with_get = {
        view["route_name"] for view in views if "GET" in (view["request_methods"] or ("GET",))
    }
    routes = registry.introspector.get_category("routes")
    found = (entry["introspectable"] for entry in routes)
    patterns = [one["pattern"] for one in found if one["name"] in with_get]
    return sorted(
        one for one in patterns if not one.startswith(("/api/", "api/")) and "*" not in one
    )


def _addresses(patterns: list[str], there: Community, rng: random.Random) -> Iterator[str]:
    """Yield the address of each page with right ids, and then addresses at random, for ever."""
    ids: dict[str, tuple[object, ...]] = {
        "topic_id": (there.rich, there.edited, there.closed, there.banned, there.deleted),
        "reply_id": (there.reply,),
        "node_id": (there.node,),
        "section_id": (there.section,),
        "held_id": (there.held,),
        "review_id": (there.review, there.held_review),
        "photo_id": (1,),
        "obj_id": (there.rich, there.reply),
        "login": ("ann", "bob", "carl"),
        "part": (0, 1),
        "number": (1, 2),
    }
    words = {
        "list": "topics",
        "chapter": "topics",
        "folder": "a",
        "name": "a.png",
        "key": "topic-new",
        "id": 1,
    }
    known = {
        **words,
        "action": "delete",
        "number": 1,
        **{name: values[0] for name, values in ids.items()},
    }

    def filled(place: re.Match[str]) -> str:
        right = place[1] in ids and rng.random() < 0.8
        return quote(str(rng.choice(ids[place[1]] if right else _TEXTS)), safe="")

    def value(name: str) -> str:
        if name in ("before", "after") and rng.random() < 0.7:
            numbers = tuple(rng.randrange(1, 10**6) for _ in range(rng.randint(1, 3)))
            return str(Cursor(rng.choice(_LISTS), numbers))
        right = name == "page" and rng.random() < 0.6
        return str(rng.randint(1, 3)) if right else rng.choice(_TEXTS)

    for pattern in patterns:
        path = _PLACE.sub(lambda place: str(known[place[1]]), pattern).lstrip("/")
        yield from (f"/{path}", f"/{path}?page=1")
    for pattern in cycle(patterns):
        names = rng.choices(rng.choice((_PAGING, _NAMES)), k=rng.choice((0, 1, 1, 1, 2, 3)))
        query = urlencode([(name, value(name)) for name in names])
        yield f"/{_PLACE.sub(filled, pattern).lstrip('/')}?{query}"


ROLES = pytest.mark.parametrize("role", ["visitor", "member", "admin"])


@ROLES
def test_no_page_fails(forum, role):
    ask(forum, role, 150)


@on_sqlite
@pytest.mark.extended
@ROLES
def test_no_page_fails_of_many(forum, role):
    ask(forum, role, 1_700)


def ask(forum: Forum, role: str, count: int) -> None:
    there = settle(forum, with_password(forum))
    if role == "admin":
        with_password(forum, "chief", role="admin")
    visitor = Visitor(forum)
    if role != "visitor":
        visitor.log_in("chief" if role == "admin" else "ann")
    patterns = _patterns(forum.registry)
    assert len(patterns) > 40
    found = _addresses(patterns, there, random.Random(f"{role} {count}"))  # noqa: S311
    statuses = set()
    for address in islice(found, 2 * len(patterns) + count):
        status = visitor.get(address).status_int
        assert status < 500, address
        statuses.add(status)
    assert {200, 400, 404} <= statuses
