"""Every endpoint for every kind of caller: each cell of `access_matrix.yaml`, status and body."""

import io
import re
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image
from webtest import TestApp, TestResponse

from forumsvc.db.engine import Database
from tests import databases
from tests.databases import on_sqlite
from tests.functional import access_matrix
from tests.functional.access_matrix import Row
from tests.functional.checked_app import CheckedApp
from tests.functional.conftest import close_application
from tests.functional.forum import Caller, make_app
from tests.functional.permission_fixture import CALLERS, EMAILS, IDS, PermissionFixture, token_of


def _png() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (1, 1)).save(file, "PNG")
    return file.getvalue()


SENT: dict[str, dict[str, Any]] = {
    "": {},
    "topic": {"params": {"title": "New", "node_id": IDS["node"], "body": "A new text"}},
    "reply": {"params": {"body": "A new text"}},
    "profile": {"params": {"tagline": "A new text"}},
    "mail": {"params": {"reply": "hourly"}},
    "device": {"params": {"platform": "ios", "token": "abc"}},
    "webhook": {"params": {"url": "https://hooks.example.org/", "events": "reply.created"}},
    "report": {"params": {"category": "spam"}},
    "resolve": {"params": {"decision": "dismiss"}},
    "block": {
        "params": {
            "kind": "address",
            "value": "192.0.2.0/24",
            "severity": "sign_up",
            "reason": "Spam",
        }
    },
    "reason": {"params": {"reason": "A new text"}},
    "closure": {"params": {"posts": "keep", "password": "not theirs"}},
    "name": {"params": {"name": "A new text"}},
    "role": {"params": {"role": "vip"}},
    "change": {"params": {"description": "A new text"}},
    "replay": {"params": {"since": "2026-01-01T00:00:00Z"}},
    "photo": {"upload_files": [("file", "a.png", _png())]},
}


@pytest.fixture(scope="module")
def app(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestApp]:
    """The application, with `accounts.newbie_minutes = 60`."""
    settings = {"accounts.newbie_minutes": "60"}
    application = make_app(database_url, tmp_path_factory.mktemp("matrix"), **settings)
    yield CheckedApp(application)
    close_application(application)


@pytest.fixture(scope="module")
def fixture(engines: Database) -> Iterator[PermissionFixture]:
    """The forum of the matrix. After a recorded change it is restored for the next caller."""
    yield PermissionFixture(engines)
    databases.delete_all_rows(engines)


def call(app: TestApp, role: str, row: Row) -> TestResponse:
    """Send the request of a row as a caller of this role."""
    path = row.path.format(**IDS)
    return Caller(app, token_of(role)).call(row.method, path, **SENT[row.sends])


@on_sqlite
@pytest.mark.extended
def test_every_cell(app, fixture):
    wrong = {}
    for row in access_matrix.rows():
        for role, mark in row.cells.items():
            fixture.prepare(role)
            try:
                answer = call(app, role, row)
                if row.method != "GET" and answer.status_int < 400:
                    fixture.spoil()
                check_cell(answer, row, role, mark)
            except AssertionError as error:
                fixture.spoil()
                wrong[f"{row.method} {row.path} as {role}"] = f"{mark}: {error}"
    assert wrong == {}


def check_cell(answer: TestResponse, row: Row, role: str, mark: str) -> None:
    """Compare a response with the cell of its caller."""
    if mark == "ok":
        check_answer(answer, row, role)
        return
    if mark == "none":
        assert (answer.status_int, answer.json) == (200, [])
        return
    refusal = access_matrix.marks()[mark]
    assert answer.status_int == refusal.status, f"{answer.status_int} {answer.text[:300]}"
    obj_id = re.search(r"obj_id=\{(\w+)\}", row.path)
    error = refusal.error.format(id=IDS[obj_id[1]] if obj_id else None)
    assert answer.json == {"error": error}
    assert answer.headers.get("WWW-Authenticate") == refusal.challenge


def check_answer(answer: TestResponse, row: Row, role: str) -> None:
    """Compare a successful response with the row."""
    said = row.answer
    shown = answer.json if answer.content_type == "application/json" else answer.text
    me, is_owner = CALLERS.get(role, ("", ""))[0], CALLERS.get(role, ("",))[0] == "author"
    created = row.method == "POST" and (
        said in ("new", "named", "photo", "report") or row.path in ("/webhooks", "/access_blocks")
    )
    if said == "draft":
        created = row.method == "PUT" and role not in ("write", "author")
    status = 202 if said in ("accepted", "waiting") else 201 if created else 200
    assert answer.status_int == status, shown
    match said.split():
        case ["waiting"]:
            assert shown == {"state": "waiting", "url": None, "expires_at": None}
        case ["place"]:
            assert set(shown) == {"ok", "last_read_reply_id", "unread_count"}
        case ["done"]:
            assert shown == {"ok": 1}
        case ["accepted"]:
            assert shown in ({"ok": 1}, {"count": 0})
        case ["secret"]:
            assert shown["secret"].startswith("whsec_")
        case ["[happened]"]:
            assert [one["id"] for one in shown] == [f"evt_{IDS['happened']}"]
        case ["site"]:
            assert shown["scopes"] == ["read", "write", "moderate", "admin"]
        case ["description"]:
            assert shown["openapi"] == "3.1.0" if row.path.endswith("json") else "3.1.0" in shown
        case ["hello"]:
            assert shown == {"current_user": me}
        case ["caller"]:
            assert (shown["id"], shown["login"]) == (IDS[me], me)
            assert shown["tagline"] == ("A new text" if row.sends else "")
        case ["new"]:
            assert (shown["user"]["login"], shown["body"]) == (me, "A new text")
            assert answer.headers["Location"].endswith(f"/{row.creates}/{shown['id']}")
        case ["named"]:
            assert shown["name"] == "A new text"
            assert answer.headers["Location"].endswith(f"{row.path}/{shown['id']}")
        case ["photo"]:
            assert answer.headers["Location"] == shown["image_url"]
        case ["count", "own"]:
            assert shown == {"count": int(is_owner)}
        case ["count", number]:
            assert shown == {"count": int(number)}
        case ["ids", *names]:
            assert shown == [IDS[name] for name in names]
        case ["[users]"]:
            assert all(set(user) == {"id", "login", "name", "avatar_url"} for user in shown)
            assert "bystander" in [user["login"] for user in shown]
        case ["[own]"]:
            own = IDS["photo" if row.path == "/photos" else "note"]
            assert [one["id"] for one in shown] == [own] * is_owner
        case ["[own", "groups]"]:
            assert [group["ids"] for group in shown] == [[IDS["note"]]] * is_owner
        case ["[own", "or", "all]"]:
            sees = is_owner or role == "moderate_scope"
            assert [one["id"] for one in shown] == [IDS["held"]] * sees
        case ["draft"]:
            assert (shown["key"], shown["body"]) == (str(IDS["draft"]), "A new text")
        case ["[versions]"]:
            hidden = ["hidden_version"] if role == "moderate_scope" else []
            assert [item["number"] for item in answer.json] == [
                IDS[name] for name in (*hidden, "version")
            ]
        case ["[drafts]"]:
            assert [one["key"] for one in shown] == [str(IDS["draft"])] * is_owner
        case ["mail"]:
            reply = "hourly" if row.sends else "off"
            assert (shown["mention"], shown["reply"]) == ("off", reply)
        case ["report"]:
            assert (shown["category"], shown["state"]) == ("spam", "open")
        case ["block"]:
            assert (shown["value"], shown["by"]["login"]) == ("192.0.2.0/24", me)
            assert answer.headers["Location"].endswith(f"/access_blocks/{shown['id']}")
        case ["[]"]:
            assert shown == []
        case _ if said.startswith("["):
            assert [one["id"] for one in shown] == [IDS[name] for name in said[1:-1].split()]
        case _:
            assert shown["id"] == IDS[said[1:-1]]
            without = ("sections", "webhooks", "reviews", "held", "access_blocks")
            has_abilities = row.path.split("/")[1] not in without
            assert ("abilities" in shown) is has_abilities
            if row.sends in ("reason", "resolve", "role"):
                return
            if row.sends:
                changed = {"profile": "tagline", "change": "description", "name": "name"}.get(
                    row.sends, "body"
                )
                assert shown[changed] == "A new text"


def test_the_abilities(app, fixture):
    wrong = {}
    for expected in access_matrix.abilities():
        for role, abilities in expected.by_role.items():
            fixture.prepare(role)
            try:
                answer = Caller(app, token_of(role)).get(expected.path.format(**IDS))
                check_abilities(answer, expected.path, abilities)
            except AssertionError as error:
                wrong[f"{expected.path} as {role}"] = str(error)
    assert wrong == {}


def check_abilities(answer: TestResponse, path: str, expected: dict[str, bool] | None) -> None:
    """Compare a response with the expected abilities; None: the caller gets 404."""
    if expected is None:
        assert answer.status_int == 404
        return
    shown = answer.json
    name = path.rpartition("/")[2].strip("{}")
    if "email" in expected:
        assert shown["email"] == (EMAILS[name] if expected["email"] else "")
    else:
        assert shown["deleted"] is (name in ("deleted", "r_tombstone"))
    assert shown["abilities"] == {key: may for key, may in expected.items() if key != "email"}


ENDPOINT_OF = {
    ("topics", "update"): "PUT {path}",
    ("topics", "destroy"): "DELETE {path}",
    ("topics", "reply"): "POST {path}/replies",
    ("replies", "update"): "POST {path}",
    ("replies", "destroy"): "DELETE {path}",
    ("users", "follow"): "POST {path}/follow",
    ("users", "block"): "POST {path}/block",
    ("users", "update"): "PUT {path}",
}


def test_the_two_tables_agree():
    by_endpoint = {f"{row.method} {row.path}": row for row in access_matrix.rows()}
    compared = 0
    for expected in access_matrix.abilities():
        for role, keys in expected.by_role.items():
            for key, may in (keys or {}).items():
                kind = expected.path.split("/")[1]
                if key == "email":
                    continue
                endpoint = ENDPOINT_OF.get((kind, key), f"POST {{path}}/action?type={key}")
                row = by_endpoint.get(endpoint.format(path=expected.path))
                if row is not None:
                    compared += 1
                    assert (row.cells[role] == "ok") is may, (expected.path, role, key)
    assert compared > 400
