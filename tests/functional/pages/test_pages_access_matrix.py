"""A button stands on a page exactly where the access matrix says that the API allows the action."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import insert
from webtest import TestResponse

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import BrowserSession
from forumsvc.oauth.token_hash import hash_token
from tests import databases
from tests.cases import each
from tests.functional import access_matrix
from tests.functional.access_matrix import Row
from tests.functional.conftest import close_application
from tests.functional.forum import Forum, make_app
from tests.functional.pages.visitor import Visitor
from tests.functional.permission_fixture import CALLERS, IDS, PermissionFixture

ROLES = ["nobody", "newbie", "member", "author", "blocked", "blocked_author", "maintainer", "admin"]
BOTH = {
    "like": {"like", "unlike"},
    "follow": {"follow", "unfollow"},
    "favorite": {"favorite", "unfavorite"},
    "block": {"block", "unblock"},
}
"""Buttons of which one stands there, as the person has done it or not."""
SENSIBLE = {
    "open": {"ban", "excellent", "close"},
    "closed_by_author": {"open"},
    "closed_by_maintainer": {"open"},
    "banned": {"unban"},
}
"""The actions that change something, by the topic."""
SECRET = "s" * 43


def button_of(row: Row) -> tuple[str, set[str]] | None:
    """Return where the action of a row has a button, and the last parts of its address.

    None for what has none: no topic that is deleted has buttons, nor an action without an effect.
    """
    if "deleted" in row.path or "tombstone" in row.path:
        return None
    if found := re.fullmatch(r"POST /users/\{(\w+)\}/(follow|block)", f"{row.method} {row.path}"):
        return f"/{found[1]}", BOTH[found[2]]
    if found := re.fullmatch(r"/topics/\{(\w+)\}(.*)", row.path):
        page, action = f"/topics/{{{found[1]}}}", found[2]
        if row.method == "DELETE":
            return page, {"delete"}
        if row.method == "PUT":
            return page, {"edit"}
        if action == "/replies" and row.method == "POST":
            return page, {"replies"}
        if action in ("/follow", "/favorite"):
            return page, BOTH[action[1:]]
        kind = action.removeprefix("/action?type=")
        return (page, {kind}) if kind in SENSIBLE.get(found[1], ()) else None
    if found := re.fullmatch(r"/replies/\{(r_(\w+))\}", row.path):
        names = {"DELETE": {"delete"}, "POST": {"edit"}}.get(row.method)
        topic = {"answer": "answered", "banned_bystander": "banned"}.get(found[2], found[2])
        return (f"/topics/{{{topic}}}#{found[1]}", names) if names else None
    if found := re.fullmatch(r"/likes\?obj_type=(\w+)&obj_id=\{(\w+)\}", row.path):
        if row.method != "POST":
            return None
        place = f"{{{found[2].removeprefix('r_')}}}"
        return f"/topics/{place}" + (f"#{found[2]}" if found[1] == "reply" else ""), BOTH["like"]
    return None


ROWS = [
    pytest.param(row, *button, id=f"{row.method} {row.path}")
    for row in access_matrix.rows()
    if (button := button_of(row)) is not None
]


@pytest.fixture(scope="module")
def application(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The application, with the matrix' setting."""
    settings = {"accounts.newbie_minutes": "60"}
    application = make_app(database_url, tmp_path_factory.mktemp("matrix"), **settings)
    yield application
    close_application(application)


@pytest.fixture(scope="module")
def fixture(engines: Database) -> Iterator[PermissionFixture]:
    """The forum of the matrix."""
    yield PermissionFixture(engines)
    databases.delete_all_rows(engines)


def visitor_as(forum: Forum, role: str) -> Visitor:
    """Return a browser in which a caller is logged in."""
    visitor = Visitor(forum)
    if role == "nobody":
        return visitor
    secret = f"{role}{SECRET}"[:43]
    now = clock.now()
    with forum.database.session.begin() as db:
        db.execute(
            insert(BrowserSession).values(
                secret_hash=hash_token(secret),
                user_id=IDS[CALLERS[role][0]],
                created_at=now,
                expires_at=now + timedelta(hours=1),
            )
        )
    visitor.app.set_cookie("session", secret)
    return visitor


def buttons(page: TestResponse, reply: str | None) -> set[str]:
    """Return the last parts of the addresses that a post's or a person's buttons lead to."""
    if page.status_int != 200:
        return set()
    main = page.html.find("main")
    post = main.find(id=f"reply-{IDS[reply]}") if reply else main
    if post is None:
        return set()
    if not reply:
        for one in main.find_all("article", class_="reply"):
            one.decompose()
    forms = [form["action"] for form in post.find_all("form")]
    links = [link["href"] for link in post.select(".buttons a")]
    return {address.partition("?")[0].rpartition("/")[2] for address in (*forms, *links)}


@pytest.mark.extended
@each(("row", "path", "names"), ROWS)
def test_the_button_of_the_row(
    application: Any,
    engines: Database,
    fixture: PermissionFixture,
    row: Row,
    path: str,
    names: set[str],
) -> None:
    page, _, reply = path.format(**IDS).partition("#")
    wrong = {}
    for role in ROLES:
        fixture.prepare(role)
        shown = buttons(visitor_as(Forum(application, engines), role).get(page), reply or None)
        fixture.spoil()
        if bool(names & shown) is not (row.cells[role] == "ok"):
            wrong[role] = f"{row.cells[role]}: {sorted(shown)}"
    assert wrong == {}


def test_the_rows_are_those_with_buttons() -> None:
    assert len(ROWS) > 35
