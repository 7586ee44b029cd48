"""Emails to the followers of one topic: `python -m benchmarks.mails --followers 10000`.

On both databases two replies are due to all followers. About the first they are sent to nowhere, on
a clock that is moved: how long that takes, in which order, and how many there are in a minute.
About the second a background worker sends them as fast as it can, and a reader asks for lists,
topics and replies beside it, by turns while the worker is stopped and while it runs.
"""

import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from email.message import EmailMessage
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from sqlalchemy import func, insert, select

from benchmarks import output
from benchmarks.members import fill
from benchmarks.request import API, Request, ask, get
from benchmarks.servers import forum_settings, serve, work, write_ini
from forumsvc import clock
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.notification_mailer import NotificationMailer
from forumsvc.cache.database import open_database
from forumsvc.db.engine import Database
from forumsvc.models import JobKind, Notification, NotificationType, Reply, Topic, TopicFollow, User
from forumsvc.queries.topics import VISIBLE
from forumsvc.services.notifications import notification_mails
from forumsvc.settings import Settings
from tests.functional.rows import insert_row, insert_rows
from tests.system.process import wait_until

HEAD = (
    "database",
    "followers",
    "jobs, s",
    "sent a second",
    "in order",
    "most in a minute",
    "ms, alone",
    "ms, beside",
    "ratio",
    "that sends a second",
)
PER_MINUTE, STEP = 1_000, timedelta(seconds=5)
_STEPS = timedelta(minutes=1) // STEP
TURNS, REQUESTS, SETTLE_SECONDS = 20, 50, 0.05
MAX_RATIO = 1.1


class Nowhere:
    """A delivery that keeps to whom, and when, it sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, datetime]] = []

    def deliver(self, message: EmailMessage) -> int:
        self.sent.append((message["To"], clock.now()))
        return 250


def main() -> int:
    """Measure on both databases; 0 if all aims are reached."""
    parser = output.options_parser("mails", __doc__)
    parser.add_argument("--followers", type=int, default=10_000)
    parser.add_argument("--kind", choices=("sqlite", "postgresql"), action="append")
    options = parser.parse_args()
    size, kept, rows = output.size_of(options), True, [HEAD]
    for kind in options.kind or ("sqlite", "postgresql"):
        with output.workspace() as (folder, stack):
            url = output.new_database(kind, folder, stack)
            settings = forum_settings(folder, url)
            settings |= {"mail.delivery": "folder", "mail.dir": str(folder / "post")}
            settings["mail.sender"] = "forum@example.org"
            ini = write_ini(folder, "forum", settings)
            fill(ini, size)
            database = open_database(url)
            stack.callback(database.dispose)
            followers = _add_followers(database, options.followers)
            bounded = Settings({**settings, "mail.per_minute": str(PER_MINUTE)})
            found = _send(database, bounded, _reply(database, followers))
            jobs, sent, is_in_order, most = found
            _reply(database, followers)
            requests = _requests(database)
            server = stack.enter_context(serve("forum", ini))
            with _worker(ini, database) as worker:
                alone, beside, rate = _read_by_turns(server.port, requests, worker, database)
        ratio = beside / alone
        kept = kept and is_in_order and most <= PER_MINUTE and ratio <= MAX_RATIO
        figures = (f"{jobs:.1f}", f"{sent:.0f}", str(is_in_order), f"{most:,}")
        times = (f"{alone:.2f}", f"{beside:.2f}", f"{ratio:.2f}", f"{rate:.0f}")
        rows.append((kind, f"{options.followers:,}", *figures, *times))
        print(" ".join(rows[-1]), flush=True)
    conditions = f"{size}; {PER_MINUTE} a minute; medians of {TURNS} turns of {REQUESTS} requests"
    output.publish(rows, 1, conditions, options.csv)
    return int(not kept)


def _add_followers(database: Database, number: int) -> dict[int, str]:
    """Add users who want an email about each reply; return their ids and addresses."""
    wanted = {"password_hash": "", "email_confirmed_at": clock.now(), "mail_reply": "instant"}
    names = [f"follower{at}" for at in range(number)]
    addresses = [f"{name}@example.org" for name in names]
    rows = [
        {"login": name, "email": address, "email_key": address, **wanted}
        for name, address in zip(names, addresses, strict=True)
    ]
    with database.session.begin() as db:
        return dict(zip(insert_rows(db, User, rows), addresses, strict=True))


def _reply(database: Database, followers: Mapping[int, str]) -> list[str]:
    """Reply to a topic, of which emails are due to its followers; return in which order."""
    ids, now = list(followers), clock.now()
    random.Random(1).shuffle(ids)  # noqa: S311 - nothing is secret
    began = now - timedelta(minutes=3)
    due = [(id_, began + timedelta(milliseconds=at)) for at, id_ in enumerate(ids)]
    with database.session.begin() as db:
        author = db.scalars(select(User.id).order_by(User.id).limit(1)).one()
        node = db.scalars(select(Topic.node_id).limit(1)).one()
        topic = insert_row(db, Topic, user_id=author, node_id=node, replied_at=now)
        follows = [{"user_id": id_, "topic_id": topic, "created_at": now} for id_ in ids]
        db.execute(insert(TopicFollow), follows)
        created = due[0][1]
        reply = insert_row(db, Reply, user_id=author, topic_id=topic, created_at=created)
        about = {"actor_id": author, "topic_id": topic, "reply_id": reply, "created_at": created}
        about["type"] = str(NotificationType.TOPIC_REPLY)
        insert_rows(db, Notification, [{"user_id": id_, "mail_at": at, **about} for id_, at in due])
    return [followers[id_] for id_ in ids]


def _send(
    database: Database, settings: Settings, expected: list[str]
) -> tuple[float, float, bool, int]:
    """Send all that is due, on a clock that stands still while it works.

    expected: to whom, in order. Return in how many seconds jobs were made, how many emails were
    sent a second, whether in this order, and how many there were in any minute at most.
    """
    usual = clock.now
    moment = usual()
    clock.now = lambda: moment
    nowhere = Nowhere()
    runner = JobRunner(database, [NotificationMailer(database, settings, nowhere)], 1)
    try:
        began = time.monotonic()
        while _make_jobs(database):
            pass
        made = time.monotonic()
        for _ in range((len(expected) // PER_MINUTE + 1) * _STEPS):
            runner.run_due(JobKind.NOTIFICATION_MAIL)
            moment += STEP
        ended = time.monotonic()
    finally:
        clock.now = usual
    times = Counter(at for _, at in nowhere.sent)
    most = max(sum(times[at - number * STEP] for number in range(_STEPS)) for at in times)
    is_in_order = [to for to, _ in nowhere.sent] == expected
    return made - began, len(expected) / (ended - made), is_in_order, most


def _make_jobs(database: Database) -> int:
    with database.session.begin() as db:
        return notification_mails.enqueue_due(db, clock.now(), allow_instant=True)


def _requests(database: Database) -> list[Request]:
    """Return requests for lists, topics and replies."""
    with database.reads.connect() as db:
        found = (
            select(Topic.id)
            .where(*VISIBLE, Topic.replies_count > 0)
            .order_by(Topic.id.desc())
            .limit(50)
        )
        topics = list(db.scalars(found))
    paths = [f"{API}/topics?offset={20 * at}" for at in range(len(topics))]
    for at, topic in enumerate(topics):
        paths[3 * at + 1 : 3 * at + 1] = [f"{API}/topics/{topic}", f"{API}/topics/{topic}/replies"]
    return [get(path) for path in paths]


@contextmanager
def _worker(ini: Path, database: Database) -> Iterator[int]:
    """Yield the process of a background worker that has begun to send."""
    before = _sent(database)
    with work(ini) as pid:
        try:
            wait_until(lambda: _sent(database) > before, "the worker sends")
            yield pid
        finally:
            os.kill(pid, signal.SIGCONT)


def _sent(database: Database) -> int:
    with database.reads.connect() as db:
        return db.scalar(select(func.count()).where(Notification.mailed_at.is_not(None))) or 0


def _read_by_turns(
    port: int, requests: list[Request], worker: int, database: Database
) -> tuple[float, float, float]:
    """Return the median ms of a request while the worker is stopped, and while it sends.

    At last how many emails it sent a second meanwhile.
    """
    endless, before, running = cycle(requests), _sent(database), 0.0
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(2 * TURNS):
        os.kill(worker, (signal.SIGSTOP, signal.SIGCONT)[turn % 2])
        time.sleep(SETTLE_SECONDS)
        for request in islice(endless, REQUESTS):
            began = time.perf_counter()
            status = ask(port, request).status
            assert status == 200, (status, request.path)
            times[turn % 2].append(1000 * (time.perf_counter() - began))
        running += sum(times[1][-REQUESTS:]) / 1000 + SETTLE_SECONDS if turn % 2 else 0
    rate = (_sent(database) - before) / running
    return median(times[0]), median(times[1]), rate


if __name__ == "__main__":
    sys.exit(main())
