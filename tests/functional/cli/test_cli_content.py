"""`forumsvc content rerender`."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, func, select, update
from sqlalchemy.orm import Session

from forumsvc.clock import now
from forumsvc.db.engine import Database
from forumsvc.markup import RENDERER_VERSION, Renderer
from forumsvc.models import Node, Notification, Reply, Topic, User
from forumsvc.queries import outdated_html
from forumsvc.sandbox import SandboxPool
from forumsvc.services.posts.authoring import Authoring
from forumsvc.services.posts.rerendering import Rerendering
from forumsvc.services.posts.rules import Rules
from tests.databases import on_sqlite
from tests.functional.rows import insert_row, insert_rows
from tests.system.process import prepare_child, wait_until
from tests.unit.markup.hostile_texts import TEXTS

ROOT = Path(__file__).parents[3]
OLD = "<p>as it was</p>"
MOMENT = now()

Write = Callable[..., int]


@pytest.fixture
def ann(database: Database) -> int:
    """A user with a node and a topic, which is up to date."""
    times = {"created_at": MOMENT, "updated_at": MOMENT, "last_active_at": MOMENT}
    with database.session.begin() as db:
        insert_row(db, User, id=1, login="Ann")
        insert_row(db, Node, id=1, name="n")
        of = {"user_id": 1, "node_id": 1, "markup_version": RENDERER_VERSION}
        return insert_row(db, Topic, id=1, **of, **times)


@pytest.fixture
def write(database: Database, ann: int) -> Write:
    """A function: put replies with this text, of a version, into the database."""

    def put(body: str, version: int = 0, times: int = 1) -> int:
        text = {"body": body, "body_html": OLD, "markup_version": version}
        values = {"topic_id": 1, "user_id": ann, "updated_at": MOMENT, **text}
        with database.session.begin() as db:
            return max(insert_rows(db, Reply, [values] * times))

    return put


@pytest.fixture
def authoring() -> Iterator[Authoring]:
    renderer = Renderer(2, 0.2)
    yield Authoring(renderer, "/{login}", 20, Rules())
    renderer.close()


def state(database: Database, reply: int) -> tuple[str, int]:
    """Return the HTML and the version of a reply."""
    with database.reads.connect() as db:
        columns = (Reply.body_html, Reply.markup_version)
        html, version = db.execute(select(*columns).where(Reply.id == reply)).one()
        return html, version


def left(database: Database) -> int:
    with database.reads.connect() as db:
        return outdated_html.count(db, RENDERER_VERSION)


def test_texts_of_older_and_newer_versions_are_rendered_and_no_others(run, database, write):
    older, newer = write("*a*"), write("*b*", RENDERER_VERSION + 1)
    todays = write("*c*", RENDERER_VERSION)
    with database.session.begin() as db:
        db.execute(update(Topic).values(body="**t**", markup_version=0))
    told = run("content", "rerender", "--json").json
    assert told == {"outdated": 3, "rendered": 3, "escaped": 0, "overtaken": 0}
    assert state(database, older) == ("<p><em>a</em></p>", RENDERER_VERSION)
    assert state(database, newer) == ("<p><em>b</em></p>", RENDERER_VERSION)
    assert state(database, todays) == (OLD, RENDERER_VERSION)
    with database.reads.connect() as db:
        assert db.execute(select(Topic.body_html)).scalar_one() == "<p><strong>t</strong></p>"
    assert run("content", "rerender", "--json").json["outdated"] == 0


def test_mentions_are_linked_again_without_notifications_or_new_times(run, database, write):
    reply = write("@aNN and @nobody1")
    run("content", "rerender")
    html, _ = state(database, reply)
    assert html == '<p><a href="/Ann" class="user-mention">@Ann</a> and @nobody1</p>'
    with database.reads.connect() as db:
        assert db.execute(select(func.count()).select_from(Notification)).scalar_one() == 0
        assert db.execute(select(User.unread_count)).scalar_one() == 0
        assert db.execute(select(Reply.updated_at)).scalar_one() == MOMENT
        assert db.execute(select(Topic.last_active_at, Topic.updated_at)).one() == (MOMENT, MOMENT)


def test_more_than_a_batch_is_rendered_and_counted_whatever_the_version(database, write, authoring):
    for version in (RENDERER_VERSION + 2, 0, RENDERER_VERSION + 1):
        write("*a*", version, times=120)
    seen: list[int] = []
    tally = Rerendering(database, authoring, 2).run(progress=seen.append)
    assert (tally.rendered, sum(seen), left(database)) == (360, 360, 0)
    assert max(seen) <= 100


def test_a_text_edited_meanwhile_is_not_overwritten(database, write, authoring, monkeypatch):
    edited, other = write("*a*"), write("*b*")
    render = Renderer.render

    def render_and_edit(self: Renderer, text: str) -> Any:
        if text == "*a*":
            values = {"body": "new", "body_html": "<p>new</p>", "markup_version": 0}
            with database.session.begin() as db:
                db.execute(update(Reply).where(Reply.id == edited).values(**values))
        return render(self, text)

    monkeypatch.setattr(Renderer, "render", render_and_edit)
    tally = Rerendering(database, authoring, 1).run()
    assert (tally.rendered, tally.skipped) == (1, 1)
    assert state(database, edited) == ("<p>new</p>", 0)
    assert state(database, other) == ("<p><em>b</em></p>", RENDERER_VERSION)


def test_a_text_that_cannot_be_rendered_is_escaped_and_does_not_hold_up_the_others(
    database, write, authoring
):
    hostile, good = write(TEXTS["underlined headings"]), write("*b*")
    tally = Rerendering(database, authoring, 2).run()
    assert (tally.rendered, tally.escaped, left(database)) == (1, 1, 1)
    html, version = state(database, hostile)
    assert (html[:3], version) == ("<p>", 0)
    assert state(database, good)[1] == RENDERER_VERSION


def test_no_text_is_overwritten_where_the_workers_cannot_start(run, database, write, monkeypatch):
    reply = write("*a*")
    monkeypatch.setattr("forumsvc.markup.renderer.SandboxPool", SandboxPool)
    monkeypatch.setattr("forumsvc.sandbox.process.sys.executable", "/nowhere/python")
    assert "cannot be rendered here" in run("content", "rerender", "--json").refusal
    assert state(database, reply) == (OLD, 0)


def test_what_is_outdated_is_found_by_an_index(database, write):
    write("*a*", times=3)
    statements = []

    def note(connection: Any, cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if "markup_version" in statement:
            statements.append((statement, values))

    event.listen(database.reads, "before_cursor_execute", note)
    with database.reads.connect() as db:
        list(outdated_html.batches(db, Reply, RENDERER_VERSION, 2))
    event.remove(database.reads, "before_cursor_execute", note)
    explain = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
    with Session(database.writes) as session, session.begin():
        if not database.is_sqlite:
            session.connection().exec_driver_sql("SET LOCAL enable_seqscan = off")
        for statement, values in statements:
            plan = session.connection().exec_driver_sql(explain + statement, values).all()
            shown = str(plan)
            assert "ix_replies_markup_version_id" in shown
            assert "Sort" not in shown
            assert "TEMP B-TREE" not in shown
    assert len(statements) == 4


@on_sqlite
@pytest.mark.extended
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_it_can_be_stopped_at_any_time_and_goes_on_with_the_rest(run, ini, database, write, number):
    write("*a* `b` [c](http://d.example) " * 40, times=700)
    before = left(database)
    process = subprocess.Popen(
        [sys.executable, "-m", "forumsvc.cli", "-c", str(ini), "content", "rerender", "--json"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=prepare_child,
    )
    wait_until(lambda: left(database) < before or process.poll() is not None, "a batch is done")
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    rest = left(database)
    assert process.returncode != 0
    assert out == b""
    assert 0 < rest < before
    assert run("content", "rerender", "--json").json["rendered"] == rest
    assert left(database) == 0
