"""Rows that no load takes: one line says where and why, and nothing is changed."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from forumsvc.db.engine import Database
from forumsvc.dump import Archive, DumpError, archive, load_dump
from forumsvc.models import Section, User
from tests import databases
from tests.cases import each
from tests.functional.dump_rows import write

TIMES = dict.fromkeys(("created_at", "updated_at"), "2026-01-31T09:05:00Z")
MEMBERS: dict[str, list[dict[str, Any]]] = {
    "sections": [{"id": 1, "name": "All"}],
    "users": [{"id": number, "login": f"user{number}", **TIMES} for number in (1, 2)],
    "nodes": [{"id": 1, "name": "Garden", "section_id": 1, **TIMES}],
    "topics": [
        {"id": 1, "user_id": 1, "node_id": 1, "title": "A", "body": "B"}
        | {"last_active_at": TIMES["created_at"], **TIMES}
    ],
    "oauth_clients": [
        {"id": 1, "client_id": "app", "name": "App", "grants": "password", "scopes": "read"}
        | {"created_at": TIMES["created_at"]}
    ],
}

WRONG_VALUES = [
    ("topics", {"title": "\u3164"}, "title must have a visible character"),
    ("users", {"name": "\u200b"}, "name must have a visible character"),
    ("nodes", {"name": " "}, "name must not be empty"),
    ("topics", {"body": "a\0b"}, "body must not contain the character NUL"),
    ("topics", {"body": "a\ud800"}, "body must not contain lone surrogates"),
    ("users", {"created_at": "2026-13-01T00:00:00Z"}, "created_at must be a time such as"),
    ("users", {"created_at": "0000-01-01T00:00:00Z"}, "created_at must be a time such as"),
    ("users", {"created_at": "12026-01-01T00:00:00Z"}, "created_at must be a time such as"),
    ("users", {"created_at": None}, "created_at must not be null"),
    ("users", {"role": "king"}, "it breaks the CHECK role IN ('member', 'vip', 'maintainer', "),
    ("users", {"state": "gone"}, "it breaks the CHECK state IN ('active', 'blocked', 'deleted')"),
    ("users", {"closure_posts": "burn"}, "closure_posts must be one of keep, blank, delete"),
    ("users", {"login": "a/b"}, "login must be a login"),
    *(("users", {"login": one}, "login must be a login") for one in ("me", "12", "Settings")),
    ("users", {"login": "a.json"}, "login must be a login"),
    ("users", {"website": "javascript:alert(1)"}, "website must be an http or https address"),
    ("oauth_clients", {"redirect_uris": "javascript:alert(1)"}, "redirect_uris must be"),
    ("oauth_clients", {"redirect_uris": "https://a.example http://b.example"}, "redirect_uris"),
    ("oauth_clients", {"grants": "password implicit"}, "grants must be grant types"),
    ("oauth_clients", {"scopes": "read everything"}, "scopes must be scopes"),
    ("topics", {"id": 2**63 - 1}, f"after the id {2**63 - 1} none is left"),
    ("users", {"id": 2**63}, f"id must be an integer from 1 to {2**63 - 1}"),
    ("users", {"id": True}, "id must be an integer"),
    ("users", {"email_public": 1}, "email_public must be true or false"),
    ("sections", {"name": None}, "name must not be null"),
    ("users", {"color": "red"}, "has an unknown column 'color'"),
    ("users", {"password_hash": "x"}, "has an unknown column 'password_hash'"),
    ("topics", {"node_id": 9}, "node_id: there is no 9 among the nodes"),
    ("nodes", {"section_id": 9}, "section_id: there is no 9 among the sections"),
    ("users", {"id": 1}, "id: a row before has the same"),
    ("users", {"login": "USER1"}, "login: a row before has the same"),
    ("topics", {"replies_count": -1}, "it breaks the CHECK replies_count >= 0"),
]
"""Of the last row of a table."""

WRONG_LINES = [
    (b'{"id" 1}', "is no JSON: Expecting ':' delimiter at character 7"),
    (b"[]", "is no JSON object"),
    (b"[" * 100_000, "is no JSON that can be read"),
    (b'{"id": NaN}', "is no JSON that can be read"),
    (b'{"id": 1, "name": "\xff"}', "byte 20 is not UTF-8"),
]


def with_last_row(folder: Path, table: str, changed: dict[str, Any]) -> Path:
    """Write a dump whose last row of a table has other values, into a folder of its own."""
    *others, last = MEMBERS[table]
    number = len(list(folder.iterdir()))
    return write(folder / f"{number}", {**MEMBERS, table: [*others, {**last, **changed}]})


def check_refused(database: Database, folder: Path, reason: str) -> None:
    with pytest.raises(DumpError) as refused:
        load_dump(database, Archive(folder))
    assert str(refused.value).startswith(reason)
    assert len(str(refused.value).splitlines()) == 1
    with database.reads.connect() as db:
        assert db.scalar(select(func.count(User.id)).where(~User.is_builtin)) == 0
        assert db.scalar(select(func.count(Section.id))) == 0


@pytest.mark.both_databases
@each(("table", "wrong", "reason"), WRONG_VALUES)
def test_a_wrong_value_is_named_by_file_line_and_column(target, tmp_path, table, wrong, reason):
    folder = with_last_row(tmp_path, table, wrong)
    where = "" if "none is left" in reason else f" line {len(MEMBERS[table])}"
    check_refused(target, folder, f"{table}.ndjson.gz{where}: {reason}")


@each(
    ("table", "odd", "warning"),
    [
        ("users", {"name": "x" * 101}, "name is longer than 100 characters"),
        ("users", {"tagline": "x" * 101}, "tagline is longer than 100 characters"),
        ("users", {"email": "a@b"}, "email must be an email address"),
        ("topics", {"title": "two\nlines"}, "title must be one line without control characters"),
        ("topics", {"title": "x" * 256}, "title is longer than 255 characters"),
    ],
)
def test_a_length_or_form_that_a_database_holds_is_taken_with_a_warning(
    tmp_path, table, odd, warning
):
    folder = with_last_row(tmp_path, table, odd)
    warnings: list[str] = []
    with databases.open_temporarily(f"sqlite:///{folder}.sqlite") as database:
        load_dump(database, Archive(folder), warn=warnings.append)
        assert warnings == [f"{table}.ndjson.gz line {len(MEMBERS[table])}: {warning}."]


@each(
    ("table", "odd"),
    [
        ("users", {"login": "settings"}),
        ("users", {"website": "gopher://a.example/"}),
        ("oauth_clients", {"scopes": "read admin_of_yesterday"}),
    ],
)
def test_a_dump_of_ones_own_is_loaded_whatever_the_rules_of_today(tmp_path, table, odd):
    folder = with_last_row(tmp_path, table, odd)
    with databases.open_temporarily(f"sqlite:///{folder}.sqlite") as database:
        load_dump(database, Archive(folder), trust_html=True)


@each(("line", "reason"), WRONG_LINES)
def test_a_line_that_is_no_json_is_named(tmp_path, line, reason):
    number = len(list(tmp_path.iterdir()))
    folder = write(tmp_path / f"{number}", {"sections": [*MEMBERS["sections"], line]})
    url = f"sqlite:///{tmp_path}/{number}.sqlite"
    databases._migrate(url)
    with databases.open_temporarily(url) as database:
        check_refused(database, folder, f"sections.ndjson.gz line 2: {reason}")


@each(
    ("rows", "max_line", "reason"),
    [
        (1, 1000, "sections.ndjson.gz has more rows than the 1 of the manifest"),
        (3, 1000, "sections.ndjson.gz has fewer rows than the 3 of the manifest"),
        (2, 10, "sections.ndjson.gz line 1 is longer than 10 bytes"),
    ],
)
def test_no_more_is_read_than_a_dump_says_and_may_have(
    rows, max_line, reason, tmp_path, monkeypatch
):
    lines = {"sections": [{"id": number, "name": "All"} for number in (1, 2)]}
    folder = write(tmp_path / f"{rows}", lines)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["tables"]["sections"]["rows"] = rows
    (folder / "manifest.json").write_text(json.dumps(manifest))
    monkeypatch.setattr(archive, "MAX_LINE", max_line)
    url = f"sqlite:///{tmp_path}/{rows}.sqlite"
    databases._migrate(url)
    with databases.open_temporarily(url) as database:
        check_refused(database, folder, reason)
