"""The check of the database at the start of the service: its message, and whether it continues."""

import socket
from pathlib import Path

import pytest

from tests import databases
from tests.functional.forum import SECRET
from tests.pooler import pooler
from tests.system.forum_process import INI, serving
from tests.system.process import PATIENCE
from tests.system.pserve import LOGGING, launch


@pytest.mark.parametrize("refuses", [False, True])
def test_a_pooler_without_the_session_settings_stops_pserve_with_one_line(
    refuses: bool, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> None:
    url = databases.new_url("postgresql", f"pooled_{refuses}", tmp_path_factory, worker_id)
    with pooler(url, refuses=refuses) as pooled:
        ini = tmp_path / "forum.ini"
        ini.write_text(
            INI.format(
                url=pooled,
                secret=SECRET,
                processes=1,
                threads=4,
                worker=True,
                app="forumsvc:main",
                more="",
            )
            + LOGGING
        )
        service = launch(ini, tmp_path / "output", tmp_path)
        try:
            assert service.process.wait(PATIENCE) == 1
        finally:
            service.process.kill()
            service.process.wait()
    [line] = [one for one in service.log.splitlines() if one.startswith("forumsvc: ")]
    assert "Traceback" not in service.log
    assert line.startswith("forumsvc: What answers under sqlalchemy.url ")
    assert "set sqlalchemy.pooler" in line


def test_a_database_that_does_not_answer_is_one_warning_and_the_service_starts(
    tmp_path: Path,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    url = f"postgresql+psycopg://nobody:hidden-password@127.0.0.1:{port}/none"
    with serving(tmp_path, url) as service:
        found = [line for line in service.log.splitlines() if "does not answer" in line]
        assert len(found) == 1, service.log
        assert "refused" in found[0]
        assert "Traceback" not in service.log
        assert "hidden-password" not in service.log
        assert service.get("/health").status == 503
