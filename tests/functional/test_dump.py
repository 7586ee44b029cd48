"""Dump and load: what is in one database is in the other, or nothing is."""

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import event, func, select

from forumsvc import migrate
from forumsvc.cli.context import CommandError
from forumsvc.cli.failures import command_errors
from forumsvc.clock import now
from forumsvc.db.engine import Database
from forumsvc.dump import Archive, DumpError, load_dump, write_dump, write_tar
from forumsvc.dump.tables import dumped_columns, dumped_tables
from forumsvc.models import Draft, Job, OAuthToken, Reply, User
from forumsvc.services.posts import counters
from tests import databases
from tests.cases import each
from tests.functional import dump_rows
from tests.functional.cli.community import Community
from tests.functional.rows import insert_row, insert_rows
from tests.migrations import later

NASTY = "\x01\x7f\u2028\u202e\\ \" ' \\N \t\r\n</script> \U0010ffff é 楼"


def fill(database: Database) -> None:
    with database.session.begin() as db:
        ids = Community(db).ids
        author = db.get_one(User, ids["ann"])
        author.bio, author.password_hash = NASTY, "a hash"
        draft = {"key": "a", "title": "", "body": NASTY}
        db.add(Draft(user_id=author.id, **draft, created_at=now(), updated_at=now()))
        db.add(Job(kind="mail", due_at=now(), created_at=now(), data={"text": NASTY}))
        counters.fix(db)


def rows(database: Database) -> dict[str, list[str]]:
    with database.reads.connect() as db:
        return {
            table.name: sorted(
                map(repr, db.execute(select(*dumped_columns(table, secrets=True))).all())
            )
            for table in dumped_tables(secrets=True)
        }


@pytest.mark.both_databases
def test_a_dump_with_secrets_restores_every_row(database, target, tmp_path):
    fill(database)
    write_dump(database, tmp_path / "dump", secrets=True)
    load_dump(target, Archive(tmp_path / "dump"), trust_html=True)
    assert rows(target) == rows(database)
    with target.session.begin() as db:
        assert [one for one in counters.check(db) if one.wrong] == []


def test_a_dump_of_before_the_first_release_is_loaded(target, tmp_path):
    client = {"id": 1, "client_id": "c", "name": "C", "grants": "password", "scopes": "read"}
    times = dict.fromkeys(("created_at", "access_expires_at"), "2026-01-31T09:05:00Z")
    token = {"id": 1, "client_id": 1, "family": "f", "scope": "read", "access_hash": "h"}
    rows = {
        "oauth_clients": [{**client, "created_at": times["created_at"]}],
        "oauth_tokens": [{**token, **times, "used_at": None}],
    }
    folder = dump_rows.write(tmp_path / "dump", rows, secrets=True)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "revision": "0013"}))
    load_dump(target, Archive(folder), trust_html=True)
    with target.reads.connect() as db:
        assert db.scalar(select(OAuthToken.access_hash)) == "h"


def test_who_is_loaded_is_found_by_any_spelling_of_their_names(target, tmp_path):
    names = {"login": "Ann", "name": "Ann Lee", "email": "Ann@München.example"}
    times = dict.fromkeys(("created_at", "updated_at"), "2026-01-31T09:05:00Z")
    folder = dump_rows.write(tmp_path / "dump", {"users": [{"id": 1, **names, **times}]})
    load_dump(target, Archive(folder))
    with target.reads.connect() as db:
        keys = db.execute(select(User.login_key, User.name_key, User.email_key)).one()
    assert tuple(keys) == ("ann", "ann lee", "ann@xn--mnchen-3ya.example")


@pytest.mark.both_databases
def test_a_load_goes_on_where_a_killed_one_made_some_of_the_tables(target, tmp_path, monkeypatch):
    later.install(tmp_path / "later", monkeypatch, later.FIRST)
    migrate.upgrade(target.writes)
    write_dump(target, tmp_path / "dump", secrets=True)
    with target.session.begin() as db:
        insert_row(db, User, login="ann")
    migrate.downgrade(target.writes, later.HEAD)
    with pytest.raises(DumpError, match="run db upgrade"):
        load_dump(target, Archive(tmp_path / "dump"))
    assert migrate.current(target.reads) == later.HEAD
    with target.writes.begin() as connection:
        connection.exec_driver_sql("DELETE FROM users WHERE login = 'ann'")
    load_dump(target, Archive(tmp_path / "dump"))
    assert migrate.current(target.reads) == migrate.head()


def test_sqlite_takes_a_load_while_another_has_the_file_open(
    database, tmp_path, tmp_path_factory, worker_id
):
    fill(database)
    write_dump(database, tmp_path / "dump", secrets=True)
    url = databases.new_url(
        "sqlite", f"of_two_{database.url.get_backend_name()}", tmp_path_factory, worker_id
    )
    with (
        databases.open_temporarily(url) as target,
        closing(sqlite3.connect(str(target.url.database))) as other,
    ):
        assert other.execute("SELECT count(*) FROM topics").fetchone() == (0,)
        load_dump(target, Archive(tmp_path / "dump"), trust_html=True)
        assert other.execute("SELECT count(*) FROM topics").fetchone() > (0,)
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.both_databases
def test_a_dump_without_secrets_has_no_hash_no_html_and_no_draft(database, tmp_path):
    fill(database)
    manifest = write_dump(database, tmp_path / "dump", secrets=False)
    assert not {"jobs", "drafts"} & {*manifest.tables}
    with databases.open_temporarily(f"sqlite:///{tmp_path}/new.sqlite") as fresh:
        load_dump(fresh, Archive(tmp_path / "dump"))
        with fresh.session.begin() as db:
            assert set(db.scalars(select(User.password_hash))) == {None}
            assert set(db.scalars(select(Reply.markup_version))) == {0}


@each("damage", ["flip", "cut", "newer"])
def test_a_damaged_or_newer_dump_changes_nothing(damage, tmp_path):
    tmp_path /= damage
    tmp_path.mkdir()
    with databases.open_temporarily(f"sqlite:///{tmp_path}/old.sqlite") as old:
        databases._migrate(f"sqlite:///{tmp_path}/old.sqlite")
        fill(old)
        write_dump(old, tmp_path / "dump", secrets=False)
    file = tmp_path / "dump" / "users.ndjson.gz"
    packed = bytearray(file.read_bytes())
    if damage == "newer":
        manifest = tmp_path / "dump" / "manifest.json"
        manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"format_version": 2}))
    elif damage == "flip":
        packed[20] ^= 1
        file.write_bytes(packed)
    else:
        file.write_bytes(packed[:20])
    fresh = databases.open_temporarily(f"sqlite:///{tmp_path}/new.sqlite")
    said = "has format 2" if damage == "newer" else r"^users\.ndjson\.gz is damaged"
    with fresh as new, pytest.raises(DumpError, match=said):
        load_dump(new, Archive(tmp_path / "dump"))
    assert not (tmp_path / "new.sqlite").exists()


@each("suffix", ["", ".tar"])
def test_a_dump_is_for_its_owner_alone_and_overwrites_nothing(suffix, tmp_path):
    url = f"sqlite:///{tmp_path}/forum{suffix}.sqlite"
    databases._migrate(url)
    write = write_tar if suffix else write_dump
    made = tmp_path / f"dump{suffix}"
    with databases.open_temporarily(url) as database:
        write(database, made, secrets=True)
        listed = [made, *made.iterdir()] if made.is_dir() else [made]
        assert {one.stat().st_mode & 0o77 for one in listed} == {0}
        before = made.stat()
        with pytest.raises(DumpError, match="is there already"):
            write(database, made, secrets=True)
        assert made.stat() == before
        made.with_name(f"other{suffix}.part").mkdir()
        with pytest.raises(DumpError, match="delete it, unless another"):
            write(database, made.with_name(f"other{suffix}"), secrets=True)


def test_a_full_disk_is_named_and_no_line_is_blamed(tmp_path):
    urls = [f"sqlite:///{tmp_path}/{name}.sqlite" for name in ("from", "to")]
    for url in urls:
        databases._migrate(url)
    with databases.open_temporarily(urls[0]) as database:
        with database.session.begin() as db:
            insert_rows(db, User, [{"login": f"user{number}"} for number in range(20_000)])
        write_dump(database, tmp_path / "dump", secrets=False)
    with databases.open_temporarily(urls[1]) as new:

        @event.listens_for(new.writes, "connect")
        def fill_the_disk(connection: Any, _: Any) -> None:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages + 3}")

        full = pytest.raises(CommandError, match="cannot be used: database or disk is full")
        with full, command_errors():
            load_dump(new, Archive(tmp_path / "dump"))
        with new.reads.connect() as connection:
            assert connection.scalar(select(func.count()).select_from(User)) == 0
