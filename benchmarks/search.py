"""How long searches take: `python -m benchmarks.search [--database sqlite]`.

It fills a database with a community that writes five languages, measures the indexing, and asks
queries of each class through the application in this process, beside the list of recent topics.
Then a server is asked for lists with and without four searches a second, by turns.
"""

import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import select, text
from webob import Request

import forumsvc
from benchmarks import machine
from benchmarks.community import fill
from benchmarks.community import forumsvc as command
from benchmarks.program import new_database, options_parser, publish, size_of, workspace
from benchmarks.request import Request as HttpRequest
from benchmarks.servers import Server, forum_settings, serve, write_ini
from benchmarks.table import markdown
from forumsvc.database import open_database
from forumsvc.db.engine import Database
from forumsvc.markup.text_content import text_content
from forumsvc.models import Reply, User
from forumsvc.search.tokens import is_without_blanks, tokens
from tests.functional.conftest import close_application

PART = "search"
HEAD = ("queries", "found", "p50 ms", "p95 ms", "worst ms")
SAMPLE = 20_000
QUERIES = 30
SEARCHES_PER_SECOND = 4
TURN_SECONDS = 10.0
TURNS = 4
SEED = 1


def main() -> int:
    """Measure, and print the tables."""
    parser = options_parser("search", __doc__)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="postgresql")
    options = parser.parse_args()
    with workspace() as (folder, stack):
        url = new_database(options.database, folder, stack)
        settings = {**forum_settings(folder, url), "rate_limit.searches": "off"}
        settings |= {"site.environment": "development", "search.timeout_seconds": "30"}
        ini = write_ini(folder, "search", settings, threads=8)
        _fill(ini, options)
        facts = [*_index(ini, url)]
        rows = _ask(folder, settings, url)
        with serve("forum", ini) as server:
            facts += _beside_searches(server, rows)
        table = markdown([HEAD, *(row[:5] for row in rows)])
        size = f"{options.topics:,} topics, {options.replies:,} replies, {options.database}"
        lines = [f"{size}; {machine.describe()}.", "", table, "", *(f"- {one}" for one in facts)]
        publish("\n".join(lines), f"{PART}-{options.database}", options.markdown)
    return 0


def _fill(ini: Path, options: Any) -> None:
    size = size_of(options)
    fill(ini, None)
    numbers = [f"--{name}={getattr(size, name)}" for name in ("users", "topics", "replies")]
    command(ini, "demo", "--seed=1", "--language=mixed", *numbers)


def _index(ini: Path, url: str) -> Iterator[str]:
    """Index everything from scratch; yield what it took, and the sizes."""
    made = command(ini, "search", "reindex", "--from-scratch")
    posts = made["topics"] + made["replies"]
    yield f"indexing {posts:,} posts from scratch: {made['seconds']:.0f} s"
    database = open_database(url)
    with database.reads.connect() as db:
        index, others = _sizes(db, database)
    database.dispose()
    yield f"the index is {index / 1e6:,.0f} MB, {index / others:.2f} of all other tables"


def _sizes(db: Any, database: Database) -> tuple[int, int]:
    """Return the bytes of the index, and of all else."""
    if database.is_sqlite:
        size = "SELECT sum(pgsize) FROM dbstat"
        of_index = f"{size} WHERE name LIKE '%topic_words%' OR name LIKE '%reply_words%'"
        total, index = db.scalar(text(size)), db.scalar(text(of_index))
    else:
        total = db.scalar(text("SELECT pg_database_size(current_database())"))
        of_table = text("SELECT pg_total_relation_size(CAST(:name AS regclass))")
        tables = ("topic_words", "reply_words")
        index = sum(db.scalar(of_table, {"name": table}) for table in tables)
    return index, total - index


def _ask(folder: Path, settings: dict[str, str], url: str) -> list[tuple[Any, ...]]:
    """Ask the queries of each class; return rows of the table, each with its queries behind."""
    classes = _classes(url)
    application = forumsvc.main({"here": str(folder)}, **settings)
    asked = {
        "the list of recent topics": ["/api/v3/topics?type=recent"] * QUERIES,
        **{
            name: [f"/api/v3/search/topics?{urlencode({'q': one})}" for one in queries]
            for name, queries in classes.items()
        },
    }
    rows = []
    for name, paths in asked.items():
        times, found = [], []
        for path in [*paths[:3], *paths]:
            began = time.perf_counter()
            answer = Request.blank(path, base_url="http://127.0.0.1").get_response(application)
            times.append(1000 * (time.perf_counter() - began))
            assert answer.status_int == 200, (path, answer.text)
            found.append(len(answer.json))
        times, found = times[3:], found[3:]
        shown = [f"{one:.1f}" for one in (median(times), _percentile(times, 95), max(times))]
        rows.append((name, str(round(median(found))), *shown, paths))
        print(*rows[-1][:5], flush=True)
    close_application(application)
    return rows


def _percentile(times: Sequence[float], percent: int) -> float:
    return quantiles(times, n=100, method="inclusive")[percent - 1]


def _classes(url: str) -> dict[str, list[str]]:
    """Return the queries of each class, taken from a sample of the replies."""
    chosen = random.Random(SEED)  # noqa: S311 - nothing is secret
    database = open_database(url)
    with database.reads.connect() as db:
        last = db.scalar(text("SELECT max(id) FROM replies")) or 0
        ids = chosen.sample(range(1, last + 1), min(SAMPLE, last))
        texts = [
            text_content(row.body_html)
            for at in range(0, len(ids), 500)
            for row in db.execute(Reply.__table__.select().where(Reply.id.in_(ids[at : at + 500])))
        ]
        logins = db.scalars(select(User.login).order_by(User.id).limit(QUERIES)).all()
    database.dispose()
    words = Counter(token for one in texts for token in set(tokens(one)))
    latin = [token for token, _ in words.most_common() if token.isascii() and token.isalpha()]
    han = [token for token, _ in words.most_common() if is_without_blanks(token[:1])]
    pairs = [token for token in han if len(token) == 2]
    medium = [token for token in latin if words[token] <= len(texts) // 100][:QUERIES]
    rare = [token for token, count in words.items() if count == 1 and token.isascii()]
    runs = [run for one in texts for run in _han_runs(one)]

    def draw(make: Callable[[], str]) -> list[str]:
        return [make() for _ in range(QUERIES)]

    def two_of_a_text() -> str:
        while True:
            found = chosen.choice(texts).split()
            at = chosen.randrange(len(found))
            both = found[at : at + 2]
            if len(both) == 2 and all(word.isascii() and word.isalpha() for word in both):
                return " ".join(both)

    common = latin[:15]
    return {
        "a rare word": chosen.sample(rare, min(QUERIES, len(rare))),
        "a medium word, in 1 % of the posts or less": medium,
        "a common word": [*common, *common],
        "three common words": draw(lambda: " ".join(chosen.sample(common, 3))),
        "two words of one post": draw(two_of_a_text),
        "a phrase of two words": [f'"{one}"' for one in draw(two_of_a_text)],
        "the beginning of a word, 3 letters": draw(lambda: f"{chosen.choice(latin[:500])[:3]}"),
        "one Han or Kana character": draw(lambda: chosen.choice(han)[0]),
        "two characters": [chosen.choice(pairs) for _ in range(QUERIES)],
        "four characters": [chosen.choice(runs)[:4] for _ in range(QUERIES)],
        "in:title and a common word": [f"{one} in:title" for one in [*common, *common]],
        "by: and a common word": [f"{chosen.choice(common)} by:{login}" for login in logins],
        "node: and a common word": draw(
            lambda: f"{chosen.choice(common)} node:{chosen.randint(1, 5)}"
        ),
        "a common word before a date": draw(
            lambda: f"{chosen.choice(common)} before:2025-{chosen.randint(1, 12):02}"
        ),
    }


def _han_runs(one: str) -> Iterator[str]:
    run = ""
    for character in one:
        if is_without_blanks(character):
            run += character
            continue
        if len(run) >= 4:
            yield run
        run = ""


def _beside_searches(server: Server, rows: list[tuple[Any, ...]]) -> Iterator[str]:
    """Ask for lists with and without searches at the same time, by turns; yield the figures."""
    searches = [path for row in rows[1:] for path in row[5]]
    random.Random(SEED).shuffle(searches)  # noqa: S311 - nothing is secret
    times: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(2 * TURNS):
        is_searching = bool(turn % 2)
        stop = threading.Event()
        searcher = threading.Thread(target=_search, args=(server, searches, stop))
        if is_searching:
            searcher.start()
        end = time.monotonic() + TURN_SECONDS
        while time.monotonic() < end:
            began = time.perf_counter()
            server.request_json(HttpRequest("GET", "/api/v3/topics?type=recent"))
            times[is_searching].append(1000 * (time.perf_counter() - began))
            time.sleep(0.005)
        stop.set()
        if is_searching:
            searcher.join()
    for is_searching, found in times.items():
        beside = f"beside {SEARCHES_PER_SECOND} searches a second" if is_searching else "alone"
        yield (
            f"the list of recent topics {beside}: p50 {median(found):.1f} ms, "
            f"p99 {_percentile(found, 99):.1f} ms of {len(found):,} requests"
        )


def _search(server: Server, paths: list[str], stop: threading.Event) -> None:
    at = 0
    while not stop.wait(1 / SEARCHES_PER_SECOND):
        # Each in a thread of its own: a slow one must not slow the others down.
        request = HttpRequest("GET", paths[at % len(paths)])
        threading.Thread(target=server.send_request, args=(request,)).start()
        at += 1


if __name__ == "__main__":
    sys.exit(main())
