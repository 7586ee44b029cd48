"""`forumsvc config …`: the files that an installation begins with."""

import stat
from pathlib import Path

import plaster

from forumsvc.cli.config import EXAMPLES
from forumsvc.settings import Settings
from tests.cases import each
from tests.functional.cli.conftest import run_command

ROOT = Path(__file__).parents[3]


def test_a_new_ini_file_is_complete_and_its_owner_alone_can_read_it(tmp_path):
    path = tmp_path / "forum.ini"
    addresses = ["--site-url", "https://forum.example.org", "--database-url", "sqlite:///f.sqlite"]
    done = run_command("config", "init", *addresses, path)
    assert (done.code, done.err) == (0, "")
    settings = Settings(plaster.get_settings(str(path), "app:main"))
    assert settings["site.url"] == "https://forum.example.org"
    assert settings["sqlalchemy.url"] == "sqlite:///f.sqlite"
    assert len(settings["session.secret"]) >= 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_percent_sign_in_an_address_is_kept(tmp_path):
    path = tmp_path / "forum.ini"
    url = "postgresql://forum:p%40ss@db/forum"
    run_command("config", "init", "--site-url", "https://f.example", "--database-url", url, path)
    assert plaster.get_settings(str(path), "app:main")["sqlalchemy.url"] == url


def test_what_no_option_gives_is_taken_from_the_environment(tmp_path):
    path = tmp_path / "forum.ini"
    done = run_command("--json", "config", "init", path)
    assert done.json == {"path": str(path), "environment": ["SITE_URL", "DATABASE_URL"]}
    assert "site.url = ${SITE_URL}\n" in path.read_text()


def test_no_two_files_have_the_same_secret(tmp_path):
    paths = [tmp_path / "one.ini", tmp_path / "two.ini"]
    for path in paths:
        run_command("config", "init", path)
    assert paths[0].read_text() != paths[1].read_text()


def test_a_file_that_exists_is_left_as_it_is(tmp_path):
    path = tmp_path / "forum.ini"
    path.write_text("mine")
    assert run_command("config", "init", path).refusal == (
        f"Error: {path} cannot be written: File exists"
    )
    assert path.read_text() == "mine"


def test_an_address_with_a_line_break_is_refused(tmp_path):
    path = tmp_path / "forum.ini"
    done = run_command("config", "init", "--site-url", "https://f.example\ndebug = true", path)
    assert done.refusal == "Error: SITE_URL: must be one line without control characters."
    assert not path.exists()


@each("name", EXAMPLES)
def test_each_example_is_the_file_of_the_repository(name):
    folder = "." if name in ("production.ini", "development.ini") else "deploy"
    assert run_command("config", "print", name).out == (ROOT / folder / name).read_text()
