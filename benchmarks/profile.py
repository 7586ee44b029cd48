"""Shows where the time of a request is spent: `python -m benchmarks.profile ENDPOINT`.

A real pserve with one thread serves one endpoint of the benchmark under cProfile. cProfile slows
Python calls down, so only the proportions are meaningful.
"""

import argparse
import pstats
import re
import sys
import tempfile
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks import load
from benchmarks.community import Community, Size, fill
from benchmarks.endpoints import Endpoint, endpoints
from benchmarks.profiled import FILE, START
from benchmarks.request import get
from benchmarks.servers import forum_settings, serve, write_ini
from benchmarks.table import markdown
from tests import postgres

LAYERS = (
    ("forumsvc.*", r"/(forumsvc/\w+?)(?:\.py|/)"),
    ("waitress", r"/(waitress)/"),
    ("transaction", r"/(?:pyramid_tm|pyramid_retry|transaction|zope/sqlalchemy)\b"),
    ("pyramid, webob, zope", r"/(?:pyramid|webob|zope|translationstring|plaster\w*)/"),
    ("sqlalchemy", r"/sqlalchemy/"),
    ("psycopg, sqlite3", r"/psycopg\w*/|/sqlite3/|psycopg|sqlite3"),
    ("colander", r"/colander/"),
    ("logging", r"/logging/"),
    ("other libraries", r"/site-packages/"),
    ("standard library", r""),
)
MAX_FUNCTIONS = 25
Key = tuple[str, int, str]


def main() -> int:
    """Profile and print; 0 if there were no errors."""
    options = _options()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="forumsvc-bench-")))
        url = _filled_database_url(options, folder, stack)
        ini = write_ini(
            folder,
            "forum",
            "forumsvc:main",
            forum_settings(folder, url),
            threads=1,
            processes=1,
            server="benchmarks.profiled:server_factory",
        )
        found = folder / "profile"
        with serve("forum", ini, 1, {FILE: str(found)}) as server:
            community = Community(url)
            stack.callback(community.close)
            endpoint = _choose_endpoint(endpoints(server, community, options.seconds), options)
            _, make_load = load.choose("auto")
            make_load(server, endpoint.make(), 4, 1.0)
            requests = endpoint.make()
            server.send_request(get(START))
            burst = make_load(server, requests, 4, options.seconds)
            print(f"{endpoint.name}, {endpoint.caller}: {burst.requests} requests profiled")
        statistics: Any = pstats.Stats(str(found))
    _print(statistics.stats, burst.requests)
    return int(burst.errors > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile", description=__doc__)
    parser.add_argument("endpoint", help="a pattern for its name, or for the path of its requests")
    parser.add_argument("--caller", default="", help="nobody or member")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="postgresql")
    parser.add_argument("--url", help="of a filled PostgreSQL of this machine, to be used instead")
    parser.add_argument("--seconds", type=float, default=5.0)
    return parser.parse_args()


def _filled_database_url(options: argparse.Namespace, folder: Path, stack: ExitStack) -> str:
    """Return the URL of a filled, upgraded database: the given one, or a new one."""
    url = options.url or f"sqlite:///{folder}/forum.sqlite"
    if options.database == "postgresql" and not options.url:
        base = postgres.server(folder, postgres.DURABLE)
        stack.callback(postgres.release, folder, wait=30)
        url = postgres.create_database(base, "forum")
    settings = forum_settings(folder, url)
    ini = write_ini(folder, "filling", "forumsvc:main", settings, threads=1, processes=1)
    fill(ini, None if options.url else Size(1_000, 5_000, 50_000))
    return url


def _choose_endpoint(measured: list[Endpoint], options: argparse.Namespace) -> Endpoint:
    """Return the requested endpoint; raises SystemExit with the list of names if there is none."""
    pattern = re.compile(options.endpoint, re.I)
    fitting = [one for one in measured if options.caller in ("", one.caller)]
    for one in fitting:
        if pattern.search(one.name):
            return one
    for one in fitting:
        if pattern.search(one.make()[0].path):
            return one
    names = "\n".join(f"  {one.name}, {one.caller}" for one in measured)
    sys.exit(f"No endpoint fits {options.endpoint!r}. There are:\n{names}")


def _print(statistics: dict[Key, tuple[Any, ...]], requests: int) -> None:
    """Print the time by layers, then the functions that took the most."""
    own = _own_times(statistics)
    layers: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for key, (calls, seconds) in own.items():
        layer = layers[_layer(key)]
        layer[0] += calls
        layer[1] += seconds
    whole = sum(seconds for _, seconds in layers.values())
    rows: list[tuple[str, ...]] = [("layer", "ms a request", "%", "calls a request")]
    for name, (calls, seconds) in sorted(layers.items(), key=lambda item: -item[1][1]):
        cells = (1000 * seconds / requests, 100 * seconds / whole, calls / requests)
        rows.append((name, f"{cells[0]:.3f}", f"{cells[1]:.0f}", f"{cells[2]:.1f}"))
    rows.append(("all", f"{1000 * whole / requests:.3f}", "100", ""))
    print(f"\nBy layer, own time\n\n{markdown(rows)}")
    for title, column in (("By own time", 2), ("By cumulative time", 3)):
        ordered = sorted(statistics.items(), key=lambda item: -item[1][column])[:MAX_FUNCTIONS]
        rows = [("function", "own µs", "cumulative µs", "calls")]
        for key, (_, calls, spent, cumulative, _) in ordered:
            figures = (1e6 * spent / requests, 1e6 * cumulative / requests, calls / requests)
            rows.append((_display_name(key), *(f"{figure:.1f}" for figure in figures)))
        print(f"\n{title}, a request\n\n{markdown(rows)}")


def _own_times(statistics: dict[Key, tuple[Any, ...]]) -> dict[Key, tuple[float, float]]:
    """Return calls and own seconds by function; those of built-in functions by their callers."""
    own: dict[Key, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for key, (_, calls, spent, _, callers) in statistics.items():
        parts = [(key, calls, spent)]
        if key[0] == "~" and callers:
            parts = [(caller, part[1], part[2]) for caller, part in callers.items()]
        for where, many, seconds in parts:
            before = own[where]
            own[where] = (before[0] + many, before[1] + seconds)
    return own


def _layer(key: Key) -> str:
    """Return the layer of a function."""
    where = key[0] if key[0] != "~" else key[2]
    for name, pattern in LAYERS:
        if match := re.search(pattern, where):
            return match[1].replace("/", ".") if match.groups() and match[1] else name
    raise AssertionError(where)


def _display_name(key: Key) -> str:
    """Return a function's name with its module, without the folders of this machine."""
    file, line, name = key
    if file == "~":
        return name
    short = re.sub(r"^.*/(?=forumsvc/|benchmarks/)|^.*/(?:site-packages|python3\.\d+)/", "", file)
    return f"{short}:{line} {name}"


if __name__ == "__main__":
    sys.exit(main())
