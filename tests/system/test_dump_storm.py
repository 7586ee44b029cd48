"""A dump beside a service that many clients write to is whole."""

from functools import partial

import pytest
from sqlalchemy import select

from forumsvc.dump import Archive, load_dump, write_dump
from forumsvc.models import Reply
from tests import databases
from tests.functional.test_dump_there_and_back import differences
from tests.system.forum_process import Client, acknowledged, prepare, serving, storm
from tests.system.process import wait_until


def have_written(clients: list[Client], expected: int) -> bool:
    return len(acknowledged(clients)) >= expected


@pytest.mark.parametrize("kind", databases.KINDS)
def test_it_has_all_that_was_acknowledged_before_and_its_counters_are_right(
    kind, tmp_path, tmp_path_factory, worker_id
):
    url = databases.new_url(kind, f"dump_storm_{kind}", tmp_path_factory, worker_id)
    with databases.open_temporarily(url) as database:
        scene = prepare(url, database, tmp_path)
        with serving(tmp_path, url) as server:
            server.workers()
            with storm(server, scene, "storm") as clients:
                for number in range(5):
                    wait_until(partial(have_written, clients, 20 * (number + 1)), "writes")
                    before = acknowledged(clients)
                    write_dump(database, tmp_path / f"{number}", secrets=True)
                assert not any(client.disconnected for client in clients)
    copy_url = databases.new_url("sqlite", f"dump_storm_of_{kind}", tmp_path_factory, worker_id)
    with databases.open_temporarily(copy_url) as copy:
        # It refuses a foreign key to nothing, and corrects wrong counters, which then differ.
        load_dump(copy, Archive(tmp_path / "4"), trust_html=True)
        assert differences(copy, tmp_path / "4") == []
        with copy.reads.connect() as db:
            assert set(before) <= set(db.scalars(select(Reply.body)))
