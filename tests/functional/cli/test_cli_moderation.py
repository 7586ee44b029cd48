"""`forumsvc user silence`, `unsilence`, `warn` and `sweep`, and `forumsvc log`."""

import pytest
from sqlalchemy import select

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import Notification, Restriction, Sweep, User, UserState
from forumsvc.services.moderation import settings_log
from tests.functional.cli.conftest import Run
from tests.functional.cli.test_cli_users import PASSWORD


@pytest.fixture
def ann(run: Run) -> str:
    """The login of a member."""
    run("user", "add", "ann", "--password", PASSWORD)
    return "ann"


def actions(run: Run, *options: str) -> list[str]:
    """Return the actions in the log after all were added, the newest first."""
    listed = run("log", "list", "--json", *options).json["log"]
    return [one["action"] for one in listed if one["action"] != "user.added"]


def test_a_user_is_silenced_and_unsilenced_and_told(run: Run, database: Database, ann: str) -> None:
    told = run("user", "silence", ann, "--days", "7", "--reason", "Spam", "--note", "n", "--json")
    with database.reads.connect() as db:
        row = db.execute(select(User.state, User.blocked_reason).where(User.login == ann)).one()
        restriction = db.execute(select(Restriction.reason, Restriction.note)).one()
    assert (row.state, row.blocked_reason) == (UserState.BLOCKED, "Spam")
    assert (restriction.reason, restriction.note) == ("Spam", "n")
    assert told.json["until"].endswith("Z")
    run("user", "unsilence", ann, "--reason", "Sorry")
    with database.reads.connect() as db:
        assert db.scalar(select(User.state).where(User.login == ann)) == UserState.ACTIVE
        assert len(db.execute(select(Notification.id)).all()) == 2
    newest, silenced, _ = run("log", "list", "--json").json["log"]
    assert (newest["action"], newest["via"], newest["actor"]) == ("user.unsilenced", "cli", None)
    assert (silenced["user"], silenced["reason"]) == (ann, "Spam")


def test_a_warning_is_recorded(run: Run, ann: str) -> None:
    run("user", "warn", ann, "--reason", "Stay on topic")
    assert actions(run) == ["user.warned"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("silence", "nobody", "--reason", "x"), "no user 'nobody'"),
        (("silence", "ann", "--reason", " "), "reason: must not be empty"),
        (("silence", "ann", "--reason", "x" * 501), "reason: must have at most 500"),
        (("warn", "ann", "--reason", "x", "--note", "x" * 2001), "note: must have at most 2000"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_changes(
    run: Run, ann: str, words: tuple[str, ...], said: str
) -> None:
    assert said in run("user", *words).refusal
    assert actions(run) == []


def test_an_admin_cannot_be_silenced(run: Run, ann: str) -> None:
    for login in ("root", "other"):
        run("user", "add", login, "--password", PASSWORD, "--role", "admin")
    assert "is an admin" in run("user", "silence", "root", "--reason", "x").refusal


def test_administration_at_the_command_line_is_recorded(run: Run, ann: str) -> None:
    run("user", "role", ann, "maintainer")
    run("user", "password", ann, "--password", "another-wire-77")
    run("user", "block", ann)
    run("user", "unblock", ann)
    node = run("node", "add", "General", "--json").json["id"]
    run("node", "edit", str(node), "--name", "Other")
    run("node", "delete", node, "--yes")
    client = run("client", "add", "App", "--grant", "password", "--json").json
    run("token", "issue", ann, "--client", client["client_id"])
    run("token", "revoke", "--login", ann)
    run("client", "delete", client["client_id"], "--yes")
    run("user", "delete", ann, "--yes")
    assert actions(run)[::-1] == [
        *("user.role_changed", "user.password_set", "user.silenced", "user.unsilenced"),
        *("node.created", "node.updated", "node.deleted", "client.created", "token.issued"),
        *("token.revoked", "client.deleted", "user.deleted"),
    ]


@pytest.mark.parametrize("words", [("silence", "--reason", "Spam"), ("sweep", "--hide")])
def test_several_users_are_restricted_at_once_or_none(
    run: Run, ann: str, words: tuple[str, ...]
) -> None:
    run("user", "add", "bob", "--password", PASSWORD)
    assert "no user 'nobody'" in run("user", *words, ann, "nobody", "bob").refusal
    assert actions(run) == []
    told = run("user", *words, ann, "bob")
    first, second = told.out.splitlines()
    assert (ann in first, "bob" in second) == (True, True)
    assert len(actions(run)) == 2


def test_the_log_is_filtered(run: Run, ann: str) -> None:
    run("user", "role", ann, "vip")
    run("user", "warn", ann, "--reason", "x")
    assert actions(run, "--action", "user.warned") == ["user.warned"]
    assert actions(run, "--user", ann, "--limit", "1") == ["user.warned"]
    assert actions(run, "--actor", ann) == []
    assert actions(run, "--since", "2999-01-01T00:00:00Z") == []
    assert "user.warned" in run("log", "list").out


def test_a_sweep_is_ordered_and_recorded(run: Run, database: Database, ann: str) -> None:
    told = run("user", "sweep", ann, "--hide", "--since", "2026-01-01T00:00:00Z", "--json")
    with database.reads.connect() as db:
        row = db.execute(select(Sweep.id, Sweep.action, Sweep.actor_id)).one()
    assert told.json == {"sweeps": {ann: row.id}, "action": "hide"}
    assert (row.action, row.actor_id) == ("hide", None)
    assert actions(run) == ["posts.swept"]


def test_a_sweep_that_deletes_asks_first(run: Run, ann: str) -> None:
    assert "--yes" in run("user", "sweep", ann, "--delete").err
    assert actions(run) == []
    assert run("user", "sweep", ann, "--delete", "--yes").code == 0
    assert actions(run) == ["posts.swept"]


def test_the_log_shows_the_first_settings_of_many(run: Run, database: Database) -> None:
    settings = {f"name.{number}": "x" for number in range(30)}
    with database.session.begin() as db:
        settings_log.record_changes(db, clock.now(), "host", settings)
    [line] = [one for one in run("log", "list").out.splitlines() if "settings.changed" in one]
    assert "name.0: x" in line
    assert "25 others (--json)" in line
    assert len(line) < 400
    [record] = run("log", "list", "--json").json["log"]
    assert record["details"]["settings"] == settings


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ann", "--hide", "--since", "May"), "since: must be a time"),
        (("nobody", "--hide"), "no user 'nobody'"),
    ],
)
def test_a_sweep_needs_a_user_and_an_action(
    run: Run, ann: str, words: tuple[str, ...], said: str
) -> None:
    assert said in run("user", "sweep", *words).refusal
    without = run("user", "sweep", "ann")
    assert (without.code, "One of --hide, --delete and --restore" in without.err) == (2, True)
    assert actions(run) == []


def test_the_log_names_who_ran_the_command_and_shows_what_changed(
    run: Run, ann: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUDO_USER", "grace")
    run("user", "add", "root", "--role", "admin", "--password", PASSWORD)
    assert run("--as", "root", "user", "role", ann, "maintainer").code == 0
    [newest, *_] = run("log", "list", "--user", ann, "--json").json["log"]
    assert (newest["actor"], newest["via"]) == ("root", "cli")
    assert newest["details"] == {
        "before": {"role": "member"},
        "after": {"role": "maintainer"},
        "system_user": "grace",
    }
    shown = run("log", "list", "--user", ann).out
    assert "before: role: member, after: role: maintainer, system_user: grace" in shown


def test_nobody_but_staff_is_named_as_who_runs_a_command(run: Run, ann: str) -> None:
    refused = run("--as", ann, "user", "warn", ann, "--reason", "x").refusal
    assert refused == "Error: --as: ann is neither a maintainer nor an admin"
    assert "nobody" in run("--as", "nobody", "user", "warn", ann, "--reason", "x").refusal
    assert actions(run) == []
