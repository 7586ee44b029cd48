"""Hostile texts in every place of the forum's pages run no script, even without the policy."""

import html
import re
from collections.abc import Iterator

import pytest
from sqlalchemy import update

from forumsvc.models import Node, Topic, User
from forumsvc.services.search.reindexing import reindex
from tests.functional.forum import Forum
from tests.functional.pages.visitor import Visitor
from tests.unit.markup import xss_corpus

from .test_browser_xss import (  # noqa: F401 - fixtures
    CODE,
    COUNTER,
    NOTHING,
    TOGETHER,
    Load,
    forum,
    load,
)

PAYLOADS = [text for text in xss_corpus.payloads(CODE) if "\x00" not in text]
A_PAGE = 40


def batches(payloads: list[str]) -> Iterator[list[str]]:
    """Yield the payloads, some at a time, always the same number."""
    for start in range(0, len(payloads), A_PAGE):
        part = payloads[start : start + A_PAGE]
        yield part + payloads[: A_PAGE - len(part)]


def ran(load: Load, visitor: Visitor, *paths: str) -> list[str]:  # noqa: F811
    """Return the pages of these paths on which a payload ran."""
    return [path for path in paths if load(COUNTER + visitor.get(path).text) != NOTHING]


def test_no_title_node_or_name_runs_in_lists_pages_and_feeds_of_topics(
    forum: Forum,  # noqa: F811
    load: Load,  # noqa: F811
) -> None:
    alice, node = forum.person("alice"), forum.node("Harbour")
    topics = [forum.topic(alice, node) for _ in range(A_PAGE)]
    visitor = Visitor(forum)
    for payloads in batches(PAYLOADS[::9]):
        with forum.database.session.begin() as db:
            for topic, payload in zip(topics, payloads, strict=True):
                db.execute(update(Topic).where(Topic.id == topic).values(title=payload))
            db.execute(update(Node).values(name=payloads[0][:50], summary=payloads[1]))
            profile = dict(zip(("name", "tagline", "location"), payloads[2:5], strict=True))
            texts = dict(zip(("company", "website", "bio"), payloads[5:8], strict=True))
            db.execute(update(User).where(User.id == alice.id).values(**profile, **texts))
        second = re.search(r'href="(/\?after=[^"]+)"', visitor.get("/").text)
        assert second is not None
        paths = ["/", html.unescape(second[1]), f"/topics/node{node}", "/alice"]
        paths.append(f"/topics/{topics[0]}")
        assert ran(load, visitor, *paths) == [], payloads


@pytest.mark.parametrize("path", ["/search?kind=replies&q={}", "/login?next={}", "/signup?next={}"])
def test_nothing_of_an_address_runs_on_its_page(
    forum: Forum,  # noqa: F811
    load: Load,  # noqa: F811
    path: str,
) -> None:
    reindex(forum.database)
    visitor = Visitor(forum)
    place, _, name = path.removesuffix("={}").replace("?", " ").replace("&", " ").rpartition(" ")
    place, *others = place.split(" ")
    fixed = dict(other.split("=") for other in others)
    for payload in PAYLOADS[::45]:
        page = visitor.get(place, **fixed, **{name: payload})
        assert load(COUNTER + page.text) == NOTHING, payload
