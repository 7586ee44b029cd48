"""The service is killed during many writes: all acknowledged writes are stored."""

import os
import signal
from collections import Counter
from functools import partial

from sqlalchemy import select, text

from forumsvc.models import Reply
from tests.functional.recounting import drift
from tests.system.forum_process import Client, acknowledged, prepare, serving, storm
from tests.system.process import wait_until


def have_written(clients: list[Client], expected: int) -> bool:
    return len(acknowledged(clients)) >= expected


def are_cut(clients: list[Client]) -> bool:
    return all(client.disconnected for client in clients)


def test_what_was_acknowledged_before_a_kill_is_there_and_whole(database_url, database, tmp_path):
    setting = prepare(database_url, database, tmp_path)
    for number, expected in enumerate((5, 30)):
        with serving(tmp_path, database_url) as server:
            server.workers()
            with storm(server, setting, f"round {number}") as clients:
                wait_until(partial(have_written, clients, expected), "writes")
                os.killpg(server.process.pid, signal.SIGKILL)
                wait_until(partial(are_cut, clients), "the end of all")
        with database.reads.connect() as db:
            kept = Counter(db.scalars(select(Reply.body)))
            if database.is_sqlite:
                assert db.scalar(text("PRAGMA integrity_check")) == "ok"
        assert [lost for lost in acknowledged(clients) if kept[lost] != 1] == []
        assert max(kept.values()) == 1
        assert drift(database) == []
