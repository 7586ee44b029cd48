"""PostgreSQL with two roles: one owns the tables, the other runs the service and its worker."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from forumsvc import clock, migrate
from forumsvc.models import AuditRecord, JobKind
from tests import databases
from tests.cases import each
from tests.functional.background_jobs import report_host
from tests.functional.cli.conftest import Outcome, run_command
from tests.functional.conftest import close_application
from tests.functional.forum import SECRET, Forum, content, make_app
from tests.functional.raw import raw
from tests.migrations import later
from tests.roles import OWNER, WRITER, as_role, make_roles, superuser

INI = """
[app:main]
use = egg:forumsvc
site.environment = development
session.secret = {secret}
sqlalchemy.url = {url}
sqlalchemy.direct_url = {direct_url}
{more}
[server:main]
use = egg:forumsvc
listen = 127.0.0.1:0
"""


@dataclass
class Site:
    """A database whose tables belong to the owner, and commands of either role."""

    url: str
    folder: Path

    def run(self, *words: object, role: str = OWNER, more: str = "") -> Outcome:
        """Run a command: a role's `sqlalchemy.direct_url` is what it connects with."""
        ini = self.folder / f"{role}.ini"
        urls = {"url": as_role(self.url, WRITER), "direct_url": as_role(self.url, role)}
        ini.write_text(INI.format(secret=SECRET, more=more, **urls))
        return run_command("-c", ini, *words)

    def connect(self, role: str) -> psycopg.Connection:
        return psycopg.connect(databases.plain_url(as_role(self.url, role)), autocommit=True)

    def grant(self) -> None:
        printed = self.run("db", "grants", OWNER, WRITER)
        assert printed.code == 0, printed.err
        with self.connect(OWNER) as owner:
            for statement in printed.out.split(";\n"):
                owner.execute(statement.rstrip(";\n").encode())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Site:
    """A database of two roles with all tables, made by the commands of install.md."""
    url = databases.new_url("postgresql", "roles", tmp_path_factory, worker_id, empty=True)
    make_roles(url)
    site = Site(url, tmp_path_factory.mktemp("roles"))
    assert site.run("db", "upgrade").code == 0
    site.grant()
    return site


@pytest.fixture
def site(made: Site) -> Iterator[Site]:
    """That database, emptied after the test."""
    yield made
    with databases.open_temporarily(made.url) as database:
        databases.delete_all_rows(database)


@pytest.fixture
def service(site: Site, tmp_path: Path) -> Iterator[Forum]:
    """The application as the writer; the shortcuts of the test write as the writer, too."""
    settings = {
        "mail.delivery": "folder",
        "mail.dir": "post",
        "moderation.keep_log_days": "30",
        "posts.purge_deleted_days": "1",
    }
    application = make_app(as_role(site.url, WRITER), tmp_path, **settings)
    yield Forum(application, application.registry.database)
    close_application(application)


def audit_log(site: Site) -> list[Any]:
    with superuser(site.url) as admin:
        return admin.execute("SELECT action FROM audit_log ORDER BY id").fetchall()


@pytest.fixture
def banned(service: Forum) -> None:
    """A topic that a moderator banned, which is in the log."""
    chief = service.person("chief", role="maintainer", scope="read write moderate")
    topic = service.topic(service.person("alice"), service.node())
    assert chief.post(f"/topics/{topic}/action", type="ban", reason="x").status_int == 200


def test_the_writer_runs_the_service_and_every_task_of_the_worker(
    service, banned, site, tmp_path, caplog
):
    caplog.set_level(logging.WARNING)
    bob = service.person("bob")
    topic = service.topic(bob, service.node("Another"))
    carol = service.person("carol")
    reply = service.reply(carol, topic, "Hello @bob")
    assert bob.post("/likes", obj_type="reply", obj_id=str(reply)).status_int == 200
    assert carol.delete(f"/replies/{reply}").status_int == 200
    report_host(service.registry, tmp_path)
    for consumer in service.registry.background.consumers:
        consumer.run()
    service.registry.job_runner.insert_standing()
    # A backup is run in a process of its own, which has a test.
    for kind in set(JobKind) - {JobKind.BACKUP, JobKind.CONSUME}:
        service.registry.job_runner.run_due(kind)
    service.registry.job_runner.close()
    assert caplog.records == []
    assert ("topic.banned",) in audit_log(site)


@each(
    "words",
    [
        ("user", "add", "ada", "--password", "correct horse battery", "--role", "admin"),
        ("node", "add", "General"),
        ("client", "add", "Our app"),
        ("token", "purge"),
        ("db", "check"),
        ("content", "rerender"),
        ("jobs", "list"),
        ("log", "list"),
        ("cache", "renew"),
    ],
)
def test_the_writer_runs_the_commands_of_every_day(site, words):
    done = site.run(*words, role=WRITER)
    assert done.code == 0, done.err


@each(
    "change",
    [
        *("UPDATE audit_log SET reason = 'x'", "DELETE FROM audit_log", "TRUNCATE audit_log"),
        *("ALTER TABLE audit_log DISABLE TRIGGER USER", "DROP TRIGGER audit_log_row ON audit_log"),
        "CREATE OR REPLACE FUNCTION audit_log_guard() RETURNS trigger LANGUAGE plpgsql"
        " AS $$ BEGIN RETURN old; END $$",
        "SET session_replication_role = replica",
        f"SET ROLE {OWNER}",
        *("DROP TABLE audit_log", "ALTER TABLE audit_log RENAME TO gone"),
        *("CREATE TABLE other (id int)", "UPDATE alembic_version SET version_num = 'x'"),
    ],
)
def test_the_writer_cannot_change_the_log(banned, site, change):
    with site.connect(WRITER) as writer, pytest.raises(psycopg.errors.InsufficientPrivilege):
        writer.execute(change.encode())
    assert audit_log(site) == [("topic.banned",)]


def test_the_owner_deletes_what_is_old_and_no_more_because_of_a_forged_record(service, site):
    moment = clock.now()
    kept = {"visibility": "staff", "via": "cli"}
    with service.database.session.begin() as db:
        for days in (31, 29):
            old = moment - timedelta(days=days)
            db.add(AuditRecord(action="user.warned", created_at=old, **kept))
        forged = {"created_at": moment, "trimmed_before": moment}
        db.add(AuditRecord(action="log.trimmed", **kept, **forged))
    before = audit_log(site)
    retention = "moderation.keep_log_days = 30"
    for role in (WRITER, OWNER):
        assert site.run("token", "purge", role=role, more=retention).code == 0
        if role == WRITER:
            assert audit_log(site) == before
    assert audit_log(site).count(("user.warned",)) == 1


def test_the_owner_upgrades_while_the_writer_is_connected(service, site, tmp_path, monkeypatch):
    alice, node = service.person("alice"), service.node()
    service.topic(alice, node)
    later.install(tmp_path / "later", monkeypatch, later.FIRST, later.SECOND)
    assert site.run("db", "upgrade").code == 0
    with site.connect(OWNER) as owner:
        owner.execute("CREATE TABLE later (id bigint GENERATED ALWAYS AS IDENTITY, name text)")
    topic = service.topic(alice, node, "Another title")
    assert content(alice.get(f"/topics/{topic}"))["title"] == "Another title"
    with site.connect(WRITER) as writer:
        writer.execute("INSERT INTO later (name) VALUES ('x')")
    with site.connect(OWNER) as owner:
        owner.execute("DROP TABLE later")
        owner.execute("ALTER TABLE topics DROP COLUMN extra")
        owner.execute("UPDATE alembic_version SET version_num = %s", [later.HEAD])


def test_the_owner_loads_what_the_writer_has_dumped(banned, site, tmp_path):
    dumped = site.run("dump", tmp_path / "forum.tar", "--secrets", role=WRITER)
    assert dumped.code == 0, dumped.err
    with databases.open_temporarily(site.url) as database:
        databases.delete_all_rows(database)
    assert "permission denied" in site.run("load", tmp_path / "forum.tar", role=WRITER).err
    loaded = site.run("load", tmp_path / "forum.tar")
    assert loaded.code == 0, loaded.err
    assert site.run("user", "show", "chief", role=WRITER).code == 0
    assert audit_log(site) == [("topic.banned",)]


def test_doctor_warns_of_a_service_that_may_change_the_log(site):
    def warned(url: str) -> list[str]:
        ini = site.folder / "doctor.ini"
        ini.write_text(INI.format(secret=SECRET, url=url, direct_url=site.url, more=""))
        found = json.loads(run_command("-c", ini, "doctor", "--json").out)["findings"]
        return [one["message"] for one in found if "log of moderation" in one["message"]]

    assert warned(as_role(site.url, WRITER)) == []
    for url in (site.url, as_role(site.url, OWNER)):
        [message] = warned(url)
        assert "may disable the triggers of the log of moderation" in message
    with site.connect(OWNER) as owner:
        owner.execute(f"GRANT DELETE ON audit_log TO {WRITER}".encode())
        [message] = warned(as_role(site.url, WRITER))
        assert "may delete records of" in message
        site.grant()
    assert warned(as_role(site.url, WRITER)) == []


@contextmanager
def revoked(site: Site, rights: str) -> Iterator[None]:
    """Take rights from the writer for a while."""
    with site.connect(OWNER) as owner:
        owner.execute(f"REVOKE {rights} FROM {WRITER}".encode())
        try:
            yield
        finally:
            site.grant()


@each(
    ("rights", "named"),
    [
        ("INSERT ON replies", "INSERT on replies"),
        ("USAGE ON SEQUENCE topics_id_seq", "USAGE on topics_id_seq"),
        ("ALL ON alembic_version", "SELECT on alembic_version"),
        ("ALL ON ALL TABLES IN SCHEMA public", "SELECT on alembic_version"),
    ],
)
def test_rights_that_are_missing_are_named_with_the_command_by_check_and_at_the_start(
    site, caplog, rights, named
):
    command = f"db grants {OWNER} {WRITER} | psql "
    with revoked(site, rights):
        findings = site.run("check", "--json", role=WRITER).out
        [found] = [
            one for one in json.loads(findings)["findings"] if "lacks rights" in one["message"]
        ]
        assert named in found["message"]
        assert command in found["message"]
        assert found["level"] == "error"
        with databases.open_temporarily(as_role(site.url, WRITER)) as database:
            problem = migrate.startup_problem(database, "forum.ini")
        assert named in (problem or caplog.text)
        assert (problem is None) == ("alembic_version" not in named)
    with databases.open_temporarily(as_role(site.url, WRITER)) as database:
        assert migrate.missing_grants(database, "forum.ini") is None


def test_a_request_that_needs_a_right_that_is_missing_is_503(service, site, caplog):
    alice, node = service.person("alice"), service.node()
    with revoked(site, "INSERT ON topics"):
        answer = alice.post("/topics", title="A title", node_id=node, body="b")
        assert answer.status_int == 503
    assert "permission denied for table topics" in caplog.text
    with revoked(site, "SELECT ON hosts, jobs"):
        assert raw(service, "GET", "/health").status_int == 503


def test_tables_of_another_role_are_refused_with_what_to_run(site):
    refused = site.run("db", "grants", "forum", WRITER).refusal
    assert f'REASSIGN OWNED BY "{OWNER}" TO "forum"' in refused


def test_the_writer_cannot_upgrade(site, tmp_path, monkeypatch):
    later.install(tmp_path / "later", monkeypatch, later.FIRST)
    assert "must be owner of table topics" in site.run("db", "upgrade", role=WRITER).err
