"""The background worker is killed while it notifies many followers: each is notified once."""

import os
import re
import signal
from collections import Counter
from urllib.parse import urlencode

import pytest
from sqlalchemy import func, select

from forumsvc.db.engine import Database
from forumsvc.models import Job, JobKind, Notification, Topic
from tests import databases
from tests.functional.forum import API, Person, add_followers
from tests.functional.recounting import drift
from tests.system.forum_process import prepare, serving
from tests.system.process import wait_until
from tests.system.pserve import Pserve

FOLLOWERS = 4000
INLINE = 100
WORKER = re.compile(r"The background worker is process (\d+)")


def open_topic(server: Pserve, author: Person, node: int) -> int:
    """POST /topics and return the status."""
    connection = server.connect()
    headers = {
        "Authorization": f"Bearer {author.token}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    body = urlencode({"title": "T", "node_id": node, "body": "B"})
    connection.request("POST", f"{API}/topics", body, headers)
    status = connection.getresponse().status
    connection.close()
    return status


def notifications_by_user(database: Database) -> Counter[int]:
    with database.reads.connect() as db:
        return Counter(db.scalars(select(Notification.user_id)))


def jobs(database: Database) -> int:
    """Return how many jobs that notify are left."""
    with database.reads.connect() as db:
        return db.scalar(select(func.count()).where(Job.kind == JobKind.NOTIFY)) or 0


@pytest.mark.parametrize("kind", databases.KINDS)
def test_followers_are_notified_once_each_though_the_worker_is_killed_meanwhile(
    kind, tmp_path, tmp_path_factory, worker_id
):
    url = databases.new_url(kind, f"kill_notify_{kind}", tmp_path_factory, worker_id)
    with databases.open_temporarily(url) as database:
        setting = prepare(url, database, tmp_path)
        author = setting.people[0]
        followers = add_followers(database, author, FOLLOWERS)
        with database.reads.connect() as db:
            node = db.scalar(select(Topic.node_id).limit(1))
        assert node is not None
        with serving(tmp_path, url) as server:
            wait_until(lambda: WORKER.search(server.log), "a background worker")
            assert open_topic(server, author, node) == 201
            for _ in range(2):
                so_far = notifications_by_user(database).total()
                assert INLINE <= so_far < FOLLOWERS
                wait_until(lambda: notifications_by_user(database).total() > so_far, "a batch")  # noqa: B023
            assert jobs(database) == 1
            [pid] = WORKER.findall(server.log)
            os.kill(int(pid), signal.SIGKILL)
            assert notifications_by_user(database).total() < FOLLOWERS
            wait_until(lambda: jobs(database) == 0, "all followers are notified")
        assert notifications_by_user(database) == dict.fromkeys(followers, 1)
        assert drift(database) == []
