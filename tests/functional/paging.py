"""Lists with many ties, and walking through them by their `Link` headers."""

import re
from collections.abc import Iterator
from typing import Any

from sqlalchemy import update
from webtest import TestResponse

from forumsvc.models import Topic
from tests.functional.forum import API, Caller, Forum, content
from tests.functional.test_query_budgets import Scene, fill

FORUM = [
    f"/topics?type={kind}"
    for kind in ("last_actived", "recent", "no_reply", "popular", "excellent")
]
LISTS = [
    *FORUM,
    *(f"{path}&node_id={{node}}" for path in FORUM),
    *(f"/users/author/topics?order={order}" for order in ("recent", "likes", "replies")),
    *(f"/users/author/{name}" for name in ("replies", "favorites", "followers", "following")),
    "/users/me/blocked",
    "/users/me/likes?obj_type=topic",
    "/users/me/likes?obj_type=reply",
    "/topics/{topic}/replies",
    "/topics/{topic}/replies?order=newest",
    "/notifications",
    "/photos",
]
MOST_PAGES = 100
_LINK = re.compile(r'<([^<>]+)>; rel="(\w+)"')


def full(forum: Forum, rows: int) -> Scene:
    """Fill every list with at least half as many rows, most of which others are equal to but for
    ids.
    """
    scene = fill(forum, rows)
    with forum.database.session.begin() as db:
        db.execute(update(Topic).values(likes_count=Topic.id % 3, replies_count=Topic.id % 2))
    return scene


def links(answer: TestResponse) -> dict[str, str]:
    """Return the targets of an answer's `Link` by their relations, as paths under the API."""
    assert answer.status_int == 200, answer.text
    found = _LINK.findall(answer.headers["Link"])
    prefix = f"http://localhost{API}"
    assert all(target.startswith(prefix) for target, _ in found)
    return {relation: target.removeprefix(prefix) for target, relation in found}


def ids(answer: TestResponse) -> list[int]:
    """Return the ids of a page; some pages are of nothing else."""
    return [one if isinstance(one, int) else one["id"] for one in content(answer)]


def with_(path: str, **parameters: Any) -> str:
    """Return the path with more parameters in its query."""
    more = "&".join(f"{name}={value}" for name, value in parameters.items())
    return f"{path}{'&' if '?' in path else '?'}{more}"


def walk(caller: Caller, path: str, relation: str) -> Iterator[TestResponse]:
    """Yield a page, and all to which the relation leads from there."""
    following = path
    for _ in range(MOST_PAGES):
        answer = caller.get(following)
        yield answer
        to = links(answer)
        if relation not in to:
            return
        following = to[relation]
    raise AssertionError(f"{path} has no end")
