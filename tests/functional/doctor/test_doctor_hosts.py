"""`forumsvc doctor`: hosts that differ, and what several hosts must share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import update

from forumsvc.db.engine import Database
from forumsvc.doctor import folders
from forumsvc.models import Host
from forumsvc.services import hosts
from forumsvc.settings import Settings
from forumsvc.web.http_cache.etags import build_fingerprint

pytestmark = pytest.mark.both_databases

SECRET = "a secret that these tests made up"

Start = Callable[..., str]


@pytest.fixture
def start(database: Database, tmp_path: Path) -> Start:
    """A function: let a host of this name write itself down, with these settings; return its name.

    Without a name it is this one.
    """

    def run(folder: str = "", *, secret: str = SECRET, build: bytes = b"", **changed: str) -> str:
        ini = {
            "sqlalchemy.url": database.url.render_as_string(hide_password=False),
            "site.environment": "development",
            "session.secret": secret,
            **{key.replace("__", "."): value for key, value in changed.items()},
        }
        settings = Settings(ini)
        found = hosts.facts(settings, tmp_path / folder, build or build_fingerprint(settings))
        with database.session.begin() as db:
            hosts.report(db, found, secret, 0, is_start=True)
        return found.name

    return run


def of_hosts(found: list[tuple[str, str, str]]) -> list[tuple[str, str]]:
    """Return the level and message of each finding about hosts."""
    return [(level, message) for level, area, message in found if area == "hosts"]


def test_one_host_as_its_ini_file_has_it_is_no_finding(examine, start):
    start()
    assert of_hosts(examine().findings) == []


def test_another_secret_is_an_error(examine, start):
    name = start(secret="another secret that these tests made up")
    message = examine().only("error", "hosts")
    assert message.startswith(f"{name} runs with another session.secret")
    assert "these tests made up" not in message


def test_other_settings_or_other_code_are_a_warning(examine, start):
    name = start(search__open_to="members")
    message = examine().only("warning", "hosts")
    assert message.startswith(f"{name} runs with search.open_to = members, and this ini file has")
    start(build=b"other")
    assert examine().only("warning", "hosts").startswith(f"{name} runs other code or settings")


def test_a_clock_that_differs_by_more_than_a_second_is_a_warning(
    examine, start, database, monkeypatch
):
    name = start("other")
    start()
    for offset, message in (
        (900, None),
        (-1500, "1.5 seconds behind"),
        (2000, "2.0 seconds ahead"),
    ):
        with database.session.begin() as db:
            db.execute(update(Host).where(Host.name == name).values(clock_offset=offset))
        found = [one for _, one in of_hosts(examine().findings) if one.startswith("The clock")]
        assert len(found) == (message is not None)
        assert all(f"{name} is {message}" in one for one in found)
    own = start()
    monkeypatch.setattr(hosts, "clock_offset", lambda db: 90_000)
    messages = [one for _, one in of_hosts(examine().findings)]
    assert any(one.startswith(f"The clock of {own} is 90.0 seconds ahead") for one in messages)


def test_several_hosts_with_limits_and_photos_of_their_own_are_warnings(
    examine, start, tmp_path, monkeypatch
):
    names = sorted((start(), start("other")))
    found = of_hosts(examine().findings)
    assert [level for level, _ in found] == ["warning", "warning", "info"]
    assert found[0][1].startswith("rate_limit.storage is memory://, so each process of 2 hosts")
    assert "is a folder of this one: a photo" in found[1][1]
    assert found[2][1] == f"2 hosts serve this forum: {', '.join(names)}."
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"30 22 0:40 / {tmp_path} rw - nfs4 server:/export rw\n")
    monkeypatch.setattr(folders, "MOUNTS", mounts)
    assert not any("photo" in one for _, one in of_hosts(examine().findings))


def test_a_host_without_a_background_worker_counts_where_it_is_examined(examine, start):
    start("other")
    assert of_hosts(examine().findings) == []
    found = of_hosts(examine(server={"worker": "false"}).findings)
    assert found[-1][1].startswith("2 hosts serve this forum: ")


def test_several_processes_of_one_host_with_limits_of_their_own_are_worth_knowing(examine, start):
    start()
    examined = examine(server={"processes": 3})
    assert examined.faults == []
    [message] = examined.infos("hosts")
    assert message.startswith("rate_limit.storage is memory://: each of 3 processes")
