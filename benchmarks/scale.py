"""Asks for every list of a small and of a large community: `python -m benchmarks.scale`.

Both are in one PostgreSQL, each with a server that keeps no page in memory. A list takes as long in
one as in the other, at its front and far down, if the database reads a page of it and no more. A
million topics with ten million replies need about 20 GB of disk.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from benchmarks import output
from benchmarks.fill import Size
from benchmarks.members import fill, log_in
from benchmarks.request import API, Request, ask, ask_json, get
from benchmarks.servers import forum_settings, forumsvc, serve, write_ini
from tests import postgres

HEAD = ("list", "offset", "ms, small", "ms, large", "large/small")
FAR = 100_000
TIMES = 30
MAX_RATIO, MAX_FAR_MS = 1.5, 20.0


def main() -> int:
    """Fill, check and ask; 0 if no counter is wrong and all bounds are kept."""
    parser = output.options_parser("scale", __doc__)
    parser.set_defaults(users=100_000, topics=1_000_000, replies=10_000_000)
    options = parser.parse_args()
    large = output.size_of(options)
    with output.workspace() as (folder, stack):
        base = output.new_postgresql(folder, stack)
        small_times = dict(_times(folder, "small", Size(), base, stack))
        large_times = dict(_times(folder, "large", large, base, stack))
    rows, kept = [HEAD], True
    for (name, offset), ms in large_times.items():
        few = small_times.get((name, 0), 0.0)
        kept = kept and ms <= (max(MAX_FAR_MS, few) if offset else MAX_RATIO * few)
        rows.append((name, f"{offset}", f"{few:.2f}", f"{ms:.2f}", f"{ms / few:.2f}"))
    conditions = f"{large}; medians of {TIMES} requests, of the small one at the front"
    output.publish(rows, 1, conditions, options.csv)
    return int(not kept)


def _times(
    folder: Path, name: str, size: Size, base: str, stack: ExitStack
) -> Iterator[tuple[tuple[str, int], float]]:
    """Fill a database and yield each list and offset with the milliseconds of its answer."""
    settings = forum_settings(folder, postgres.create_database(base, name))
    ini = write_ini(folder, name, {**settings, "cache.pages_mb": "0"})
    began = time.monotonic()
    login = fill(ini, size)
    filled = time.monotonic()
    wrong = forumsvc(ini, "db", "check", refused=True)["wrong"]
    checking = time.monotonic() - filled
    print(f"{name}: filled in {filled - began:.0f} s, checked in {checking:.0f} s, {wrong} wrong")
    assert wrong == 0
    server = stack.enter_context(serve(name, ini))
    members = log_in(server, login, 2)
    topic = max(
        ask_json(server.port, get(f"{API}/topics?limit=150")), key=lambda it: it["replies_count"]
    )
    node, user = topic["node_id"], members.logins[0]
    paths = [f"/topics?type={kind}" for kind in ("last_actived", "recent", "popular", "no_reply")]
    paths += [f"/topics?type={kind}&node_id={node}" for kind in ("last_actived", "popular")]
    paths += [f"/topics/{topic['id']}/replies?", f"/users/{user}/topics?", "/notifications?"]
    paths += [f"/users/{user}/{what}?" for what in ("replies", "favorites", "followers")]
    for path in paths:
        for offset in (0, FAR):
            request = get(f"{API}{path}&offset={offset}", members.token)
            if ask_json(server.port, request):
                label = path.rstrip("?").replace(str(topic["id"]), "…").replace(user, "…")
                yield (
                    (label.partition("&node")[0] + " of a node" * ("&node" in path), offset),
                    (median(_ms(server.port, request) for _ in range(TIMES))),
                )


def _ms(port: int, request: Request) -> float:
    began = time.perf_counter()
    ask(port, request)
    return 1000 * (time.perf_counter() - began)


if __name__ == "__main__":
    sys.exit(main())
