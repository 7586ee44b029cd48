"""The background worker is killed while it notifies many followers: each is notified once."""

import os
import re
import signal
from collections import Counter

from sqlalchemy import func, select

from forumsvc.db.engine import Database
from forumsvc.models import Job, JobKind, Notification, Topic
from tests.functional.forum import API, add_followers
from tests.functional.recounting import drift
from tests.system.forum_process import prepare, serving
from tests.system.process import wait_until

FOLLOWERS = 4000
INLINE = 100
WORKER = re.compile(r"The background worker is process (\d+)")


def notifications_by_user(database: Database) -> Counter[int]:
    with database.reads.connect() as db:
        return Counter(db.scalars(select(Notification.user_id)))


def jobs(database: Database) -> int:
    """Return how many jobs that notify are left."""
    with database.reads.connect() as db:
        return db.scalar(select(func.count()).where(Job.kind == JobKind.NOTIFY)) or 0


def test_followers_are_notified_once_each_though_the_worker_is_killed_meanwhile(
    database_url, database, tmp_path
):
    setting = prepare(database_url, database, tmp_path)
    author = setting.people[0]
    followers = add_followers(database, author, FOLLOWERS)
    with database.reads.connect() as db:
        node = db.scalar(select(Topic.node_id).limit(1))
    assert node is not None
    with serving(tmp_path, database_url) as server:
        wait_until(lambda: WORKER.search(server.log), "a background worker")
        form = {"title": "T", "node_id": node, "body": "B"}
        assert server.post(f"{API}/topics", author.token, **form).status == 201
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
