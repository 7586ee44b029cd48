"""Erases somebody who wrote nearly everything, while others write: `python -m benchmarks.erasure`.

Beside a server and a background worker a member likes, and replies to, topics in which the person
wrote. The table has how long the longest of these requests took, with and without the erasure.
"""

import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import count, product

from sqlalchemy import select, text

from benchmarks import output
from benchmarks.members import fill, log_in
from benchmarks.request import API, Request, ask, send
from benchmarks.servers import Server, forum_settings, forumsvc, serve, work, write_ini
from forumsvc.cache.database import open_database
from forumsvc.db.engine import Database
from forumsvc.models import Job, JobKind
from forumsvc.services import events
from forumsvc.services.posts import counters

HEAD = ("database", "posts", "s", "requests", "ms, median", "99 %", "most", "most, alone")
ALONE_SECONDS, PAUSE_SECONDS = 20.0, 0.02
MAX_SECONDS, MAX_WAIT_MS = 300.0, 200.0


def main() -> int:
    """Erase on both databases in both ways; 0 if no counter is wrong and the bounds are kept."""
    parser = output.options_parser("erasure", __doc__)
    parser.add_argument("--kind", choices=("sqlite", "postgresql"), action="append")
    options = parser.parse_args()
    size, rows, kept = output.size_of(options), [HEAD], True
    for kind, posts in product(options.kind or ("sqlite", "postgresql"), ("blank", "delete")):
        with output.workspace() as (folder, stack):
            url = output.new_database(kind, folder, stack)
            ini = write_ini(folder, "forum", forum_settings(folder, url))
            login = fill(ini, size)
            database = open_database(url)
            stack.callback(database.dispose)
            server = stack.enter_context(serve("forum", ini))
            members = log_in(server, login, 2)
            topics = _give_all_posts(database, members.logins[0])
            stack.enter_context(work(ini))
            writing = (server, members.tokens[1], topics)
            alone, _ = _waits(*writing, partial(time.sleep, ALONE_SECONDS))
            forumsvc(ini, "user", "erase", members.logins[0], "--posts", posts, "--yes")
            waits, seconds = _waits(*writing, partial(_wait_for_the_end, database))
            wrong = forumsvc(ini, "db", "check", refused=True)["wrong"]
        middle, late = waits[len(waits) // 2], waits[len(waits) * 99 // 100]
        figures = (seconds, len(waits), middle, late, waits[-1], alone[-1])
        rows.append((kind, posts, *(f"{figure:.0f}" for figure in figures)))
        print(" ".join(rows[-1]), f"{wrong} counters wrong", flush=True)
        kept = kept and not wrong and seconds <= MAX_SECONDS and waits[-1] <= MAX_WAIT_MS
    output.publish(rows, 2, f"{size}, nearly all posts of one person", options.csv)
    return int(not kept)


def _give_all_posts(database: Database, login: str) -> list[int]:
    """Let a member have written a tenth of the topics and nearly all replies; return topics."""
    with database.session.begin() as db:
        events.record_nothing(db)
        who = {"login": login.lower()}
        user = "(SELECT id FROM users WHERE login_key = :login)"
        db.execute(text(f"UPDATE topics SET user_id = {user} WHERE id % 10 = 0"), who)  # noqa: S608
        db.execute(text(f"UPDATE replies SET user_id = {user} WHERE id % 100 > 0"), who)  # noqa: S608
        counters.fix(db)
        found = text("SELECT id FROM topics WHERE deleted_at IS NULL AND closed_at IS NULL")
        return list(db.scalars(found))


def _wait_for_the_end(database: Database) -> None:
    left = select(Job.state).where(Job.kind == JobKind.ACCOUNT)
    while True:
        with database.reads.connect() as db:
            states = db.scalars(left).all()
        if not states:
            return
        assert set(states) == {"waiting"}, states
        time.sleep(0.5)


def _waits(
    server: Server, token: str, topics: list[int], during: Callable[[], None]
) -> tuple[list[float], float]:
    """Write until `during` returns; return how many ms each request took, and its seconds."""
    is_over, began, waits = threading.Event(), time.monotonic(), list[float]()

    def write() -> None:
        for request in _requests(token, topics):
            start = time.monotonic()
            status = ask(server.port, request).status
            waits.append((time.monotonic() - start) * 1000)
            # Of the topics that are being deleted some are gone, others are banned; 503: a lock.
            assert status in (200, 201, 403, 404, 503), status
            if is_over.wait(PAUSE_SECONDS):
                return

    with ExitStack() as stack:
        thread = threading.Thread(target=write)
        thread.start()
        stack.callback(thread.join)
        stack.callback(is_over.set)
        during()
    return sorted(waits), time.monotonic() - began


def _requests(token: str, topics: list[int]) -> Iterator[Request]:
    for number in count():
        topic = random.choice(topics)  # noqa: S311
        reply = {"body": f"A reply {number}"}
        like = {"obj_type": "topic", "obj_id": topic}
        yield send("POST", f"{API}/likes", token, like)
        if number % 2:
            yield send("POST", f"{API}/topics/{topic}/replies", token, reply)


if __name__ == "__main__":
    sys.exit(main())
