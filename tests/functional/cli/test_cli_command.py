"""What all commands share: the ini file, `--json`, exit codes, the terminal."""

import json
import os
import pty
import subprocess
from importlib.metadata import version
from pathlib import Path
from select import select

import click
import pytest

from forumsvc.cache.database import open_database
from forumsvc.cli import main
from forumsvc.cli.context import Context
from forumsvc.queries import users
from forumsvc.settings import DECLARED
from tests.cases import each
from tests.functional.cli.conftest import INI, run_command
from tests.functional.cli.terminal import COMMAND, ENVIRONMENT, read_terminal, run_on_terminal
from tests.system.process import PATIENCE

END_OF_INPUT = b"\x04"
HEAVY = {"sqlalchemy", "alembic", "pyramid", "PIL", "markdown", "oauthlib", "argon2"} | {
    "plaster",
    "waitress",
    "orjson",
    "psycopg",
    "forumsvc.models",
    "forumsvc.services",
}
"""What takes long to import; each of them is loaded by some command."""


@pytest.fixture
def sqlite_ini(tmp_path: Path) -> Path:
    """An ini file that names an SQLite file with the newest tables."""
    path = tmp_path / "forum.ini"
    path.write_text(INI.format(url="sqlite:///%(here)s/forum.sqlite"))
    assert run_command("-c", path, "db", "upgrade").code == 0
    return path


def commands(command: click.Command, *words: str) -> list[tuple[str, ...]]:
    """Return the words of a command, or of every command under a group."""
    if not isinstance(command, click.Group):
        return [words]
    below = command.commands.items()
    return [found for name, each in below for found in commands(each, *words, name)]


@each("words", commands(main))
def test_every_command_has_help_and_json_without_an_ini_file(words):
    outcome = run_command(*words, "--help")
    assert outcome.code == 0
    assert "--json" in outcome.out


def test_the_help_of_every_command_begins_with_what_the_list_of_commands_says_of_it():
    _, _, listed = run_command("--help").out.partition("Commands:\n")
    for line in listed.splitlines():
        name, summary = line.split(maxsplit=1)
        assert f" {summary} " in " ".join(run_command(name, "--help").out.split())


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_help_and_version_import_no_heavy_library(word):
    code = (
        "import sys; from forumsvc.cli import main\n"
        f"main(['{word}'], 'forumsvc', standalone_mode=False); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [COMMAND[0], "-c", code], capture_output=True, check=True, text=True, env=ENVIRONMENT
    )
    assert "forumsvc" in done.stdout
    assert HEAVY & set(done.stderr.split()) == set()


def test_the_version_is_that_of_the_distribution():
    assert run_command("--version").out == f"forumsvc {version('forumsvc')}\n"


def test_a_table_has_heads_above_its_columns_on_a_terminal_and_in_a_pipe(sqlite_ini):
    assert run_command("-c", sqlite_ini, "node", "add", "Some name").code == 0
    table = run_command("-c", sqlite_ini, "node", "list").out.splitlines()
    assert run_on_terminal(sqlite_ini, "node", "list").shown.splitlines() == table
    assert [word for word in ("ID", "Name", "Section") if word not in table[0]] == []
    assert table[-1].index("Some name") == table[0].index("Name")
    assert "-" in table[-1].split()


def test_columns_are_aligned_behind_wide_and_combining_characters(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    names = "社区", "abcd", "e\N{COMBINING ACUTE ACCENT}bcd"
    Context().output_list("x", [{"name": name, "no": 1} for name in names], "")
    assert capsys.readouterr().out.splitlines() == ["Name  No", *(f"{name}  1" for name in names)]


@each("at", range(3))
def test_json_may_stand_before_or_after_the_commands_words(sqlite_ini, at):
    words = ["node", "list"]
    words.insert(at, "--json")
    assert run_command("-c", sqlite_ini, *words).json == {"nodes": []}
    assert run_command("--json", "-c", sqlite_ini, "node", "list").json == {"nodes": []}


def test_no_ini_file_is_wrong_usage():
    outcome = run_command("node", "list")
    assert (outcome.code, outcome.out) == (2, "")
    assert "-c" in outcome.err


"""Commands, some with a part of what standard error says."""


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"nonsense\n", "section"),
        (b"[app:main]\nsqlalchemy.url = %(nothing)s\n", "nothing"),
        (b"\xff\xfe[app:main]\n", "forum.ini"),
        (b"\xef\xbb\xbf[app:main]\n", "byte order mark"),
        (INI.format(url="mysql://x").encode(), "sqlalchemy.url"),
        (INI.format(url="sqlite:///x").encode() + b"site.nmae = x\n", "site.name"),
        (INI.format(url="${NO_SUCH_VARIABLE_HERE}").encode(), "NO_SUCH_VARIABLE_HERE"),
    ],
)
def test_an_ini_file_that_is_wrong_is_refused_in_one_line(tmp_path, content, named):
    ini = tmp_path / "forum.ini"
    ini.write_bytes(content)
    assert named in run_command("-c", ini, "settings", "--json").refusal


def test_a_database_server_that_is_away_is_refused_in_one_line(tmp_path):
    ini = tmp_path / "forum.ini"
    ini.write_text(INI.format(url=f"postgresql://u:s3cret@/forum?host={tmp_path}"))
    outcome = run_command("-c", ini, "node", "list")
    assert (outcome.code, outcome.out) == (75, "")
    [line] = outcome.err.splitlines()
    assert "database" in line
    assert "s3cret" not in line


@each("password", ["s3cret%!", "s3cret%(x)s", "100%s3cret"])
def test_a_percent_sign_in_the_ini_file_is_named_without_the_value(tmp_path, password):
    ini = tmp_path / "forum.ini"
    ini.write_text(INI.format(url="sqlite://") + f"mail.password = {password}\n")
    refusal = run_command("-c", ini, "check").refusal
    assert "%" in refusal or "interpolation" in refusal
    assert "s3cret" not in refusal


def test_a_file_that_is_no_database_is_refused_in_one_line(tmp_path):
    ini = tmp_path / "forum.ini"
    ini.write_text(INI.format(url="sqlite:///%(here)s/forum.ini"))
    assert "database" in run_command("-c", ini, "node", "list").refusal


def test_all_settings_are_printed_with_secrets_masked_and_defaults_marked(run):
    printed = run("settings", "--json").json
    assert set(printed) == {setting.name for setting in DECLARED}
    assert printed["site.environment"] == {"value": "development", "default": False}
    assert printed["http.max_body"] == {"value": 12_000_000, "default": True}
    assert printed["http.cors_origins"] == {"value": [], "default": True}
    assert printed["session.secret"] == {"value": "********", "default": False}
    assert printed["mail.password"] == {"value": "", "default": True}
    assert printed["rate_limit.storage"] == {"value": "memory://", "default": True}
    plain = run("settings").out
    assert len(plain.splitlines()) == len(DECLARED)
    assert "tests made up" not in plain
    marked = {line.split()[0] for line in plain.splitlines() if line.endswith("(default)")}
    assert marked == {name for name, setting in printed.items() if setting["default"]}


def test_the_address_of_the_database_is_shown_without_its_password(tmp_path):
    ini = tmp_path / "forum.ini"
    ini.write_text(INI.format(url="postgresql://u:s3cret@host/forum?host=/run"))
    shown = run_command("-c", ini, "settings", "--json").json["sqlalchemy.url"]["value"]
    assert shown == "postgresql+psycopg://u:********@host/forum?host=/run"
    assert "s3cret" not in run_command("-c", ini, "settings").out


def test_each_setting_is_described_without_an_ini_file():
    described = run_command("settings", "--describe", "--json").json
    assert list(described) == [setting.name for setting in DECLARED]
    assert described["http.max_body"] == {
        "type": "integer",
        "allowed": "a whole number from 1024 to 1073741824",
        "unit": "bytes",
        "default": "12000000",
        "meaning": next(each.meaning for each in DECLARED if each.name == "http.max_body"),
        "secret": False,
    }
    assert described["sqlalchemy.url"]["default"] is None
    assert described["sqlalchemy.url"]["secret"] is True
    shown = run_command("settings", "--describe").out
    for setting in DECLARED:
        assert f"{setting.name}\n    {setting.meaning}\n" in shown


def test_settings_need_no_database(tmp_path):
    ini = tmp_path / "forum.ini"
    ini.write_text(INI.format(url="sqlite:///%(here)s/forum.sqlite"))
    assert run_command("-c", ini, "settings").code == 0
    assert not (tmp_path / "forum.sqlite").exists()


def test_a_process_prints_json_alone_and_no_progress_in_a_pipe(sqlite_ini):
    command = [*COMMAND, "-c", str(sqlite_ini), "db", "check", "--json"]
    done = subprocess.run(command, capture_output=True, check=True, env=ENVIRONMENT)
    assert json.loads(done.stdout) == {"checked": 0, "wrong": 0, "fixed": 0, "unknown": {}}
    assert done.stderr == b""


def test_progress_is_shown_on_a_terminal(sqlite_ini):
    command = [*COMMAND, "-c", str(sqlite_ini), "db", "check", "--json"]
    ours, theirs = pty.openpty()
    environment = {**ENVIRONMENT, "TERM": "xterm"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        shown = read_terminal(ours, process)
        assert process.stdout is not None
        assert json.loads(process.stdout.read())["wrong"] == 0
    assert b"Checking" in shown
    assert b"100%" in shown


@pytest.mark.parametrize(
    "again", ["correct horse", pytest.param("another horse", marks=pytest.mark.extended)]
)
def test_a_password_is_asked_for_twice_unseen(sqlite_ini, again):
    command = [*COMMAND, "-c", str(sqlite_ini), "user", "add", "ann", "--json"]
    ours, theirs = pty.openpty()
    # A session of its own, or the password would be asked for on the terminal of the tests.
    with subprocess.Popen(
        command,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=ENVIRONMENT,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        shown = _answer(ours, b"Password: ", b"correct horse\n")
        shown += _answer(ours, b"confirmation: ", again.encode() + b"\n")
        if again != "correct horse":
            shown += _answer(ours, b"Password: ", END_OF_INPUT)
        shown += read_terminal(ours, process)
        assert process.stdout is not None
        out = process.stdout.read()
    assert b"horse" not in shown
    database = open_database(f"sqlite:///{sqlite_ini.parent}/forum.sqlite")
    with database.reads.connect() as db:
        added = users.by_login(db, "ann")
    database.dispose()
    if again == "correct horse":
        assert process.returncode == 0
        assert json.loads(out)["login"] == "ann"
        assert added is not None
    else:
        assert process.returncode == 1
        assert added is None


def _answer(terminal: int, question: bytes, answer: bytes) -> bytes:
    """Wait for a question on the terminal, type the answer; return what was shown till then."""
    shown = b""
    while not shown.endswith(question):
        assert select([terminal], [], [], PATIENCE)[0], shown
        shown += os.read(terminal, 1)
    os.write(terminal, answer)
    return shown
