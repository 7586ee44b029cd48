"""No address of a page, and no parameter, is answered with 5xx, whoever asks."""

import random
import re
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from forumsvc.db.cursors import Cursor
from tests.databases import on_sqlite
from tests.functional.forum import Forum
from tests.functional.pages.community import Community, settle
from tests.functional.pages.visitor import Visitor, with_password

QUICK, MANY = 150, 1_700
"""Requests of each of the three callers."""
ROLES = ("visitor", "member", "admin")
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
    *("likes.topic", "followers", "user_replies", "user_topics.recent", "search"),
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


class _Generator:
    """Requests, always the same for one seed."""

    def __init__(self, patterns: list[str], there: Community, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311
        self._patterns = patterns
        ids = {
            "topic_id": (there.rich, there.closed, there.banned, there.deleted),
            "reply_id": (there.reply,),
            "node_id": (there.node,),
            "held_id": (there.held,),
            "review_id": (there.review, there.held_review),
            "photo_id": (1,),
            "obj_id": (there.rich, there.reply),
            "login": ("ann", "bob", "carl"),
            "part": (0, 1),
        }
        self._ids = {name: tuple(map(str, values)) for name, values in ids.items()}

    def plain(self) -> list[str]:
        """Return the address of each page, with a right id, and that of its first part."""
        known = {name: ids[0] for name, ids in self._ids.items()}
        known |= {
            "list": "topics",
            "chapter": "topics",
            "folder": "a",
            "name": "a.png",
            "action": "delete",
        }
        paths = [_PLACE.sub(lambda place: known[place[1]], one) for one in self._patterns]
        return [f"/{path.lstrip('/')}{query}" for path in paths for query in ("", "?page=1")]

    def random(self, number: int) -> str:
        """Return the path and query of a request; each pattern has its turn."""
        path = _PLACE.sub(self._filled, self._patterns[number % len(self._patterns)])
        among = self._random.choice((_PAGING, _NAMES))
        names = self._random.choices(among, k=self._random.choice((0, 1, 1, 1, 2, 3)))
        query = urlencode([(name, self._value(name)) for name in names])
        return f"/{path.lstrip('/')}?{query}"

    def _filled(self, place: re.Match[str]) -> str:
        known = self._ids.get(place[1], ())
        if known and self._random.random() < 0.8:
            return self._random.choice(known)
        return quote(self._random.choice(_TEXTS), safe="")

    def _value(self, name: str) -> str:
        if name in ("before", "after") and self._random.random() < 0.7:
            values = tuple(
                self._random.randrange(1, 10**6) for _ in range(self._random.randint(1, 3))
            )
            return str(Cursor(self._random.choice(_LISTS), values))
        if name == "page" and self._random.random() < 0.6:
            return str(self._random.randint(1, 3))
        if self._random.random() < 0.2:
            return self._random.choice([one for ids in self._ids.values() for one in ids])
        return self._random.choice(_TEXTS)


@pytest.mark.parametrize("role", ROLES)
def test_no_page_fails(forum, role):
    ask(forum, role, QUICK)


@on_sqlite
@pytest.mark.extended
@pytest.mark.parametrize("role", ROLES)
def test_no_page_fails_of_many(forum, role):
    ask(forum, role, MANY)


def ask(forum: Forum, role: str, count: int) -> None:
    """Fail if a request of many fails, or if all are answered alike."""
    there = settle(forum, with_password(forum))
    if role == "admin":
        with_password(forum, "chief", role="admin")
    visitor = Visitor(forum)
    if role != "visitor":
        visitor.log_in("chief" if role == "admin" else "ann")
    patterns = _patterns(forum.registry)
    assert len(patterns) > 40
    generator = _Generator(patterns, there, f"{role} {count}")
    failed, statuses = [], set()
    for address in (*generator.plain(), *map(generator.random, range(count))):
        try:
            status = visitor.get(address).status_int
        except Exception as error:
            error.add_note(f"GET {address}")
            raise
        statuses.add(status)
        if status >= 500:
            failed.append((address, str(status)))
    assert failed == []
    assert {200, 400, 404} <= statuses
