"""Compares two revisions by turns: `python -m benchmarks.compare REVISION` (see `--help`).

Each revision runs its own benchmark on a database of its own with the same community, one round at
a time, directly after each other. What counts is the change of the ratio to the Pyramid baseline.
"""

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks import machine
from benchmarks.community import fill
from benchmarks.program import new_postgresql, options_parser, publish, size_of, workspace
from benchmarks.servers import ROOT, basic_settings, environment, write_ini
from benchmarks.table import markdown
from tests import postgres

PART = "comparison"
HEAD = ("endpoint", "caller", "before", "after", "after/before", "CPU ms before", "CPU ms after")
ENDPOINT, CALLER, RATIO, SERVER_CPU, DATABASE_CPU, ERRORS = 0, 1, 5, 8, 9, 12
"""Columns of the table that `benchmarks.run` prints."""
MIN_RATIO = 0.97
"""How far a ratio may fall, relative to before."""

Figures = dict[tuple[str, str], tuple[float, float]]
"""By endpoint and caller: the ratio to the Pyramid baseline, and the processor time of a request on
the server and its database, in milliseconds.
"""


def main() -> int:
    """Compare; 0 if no ratio fell by more than 3 %."""
    options = _options()
    runs: dict[str, list[Figures]] = {"before": [], "after": []}
    with workspace() as (folder, stack):
        before = stack.enter_context(_worktree(folder / "before", options.revision))
        base = new_postgresql(folder, stack)
        roots = {"before": before, "after": ROOT}
        urls = {name: _fill(folder, name, root, base, options) for name, root in roots.items()}
        for number in range(1, options.rounds + 1):
            # The order alternates, so that after-effects of one run concern both.
            for name in sorted(roots, reverse=bool(number % 2)):
                runs[name].append(_measure(roots[name], urls[name], options))
            print(f"round {number} of {options.rounds}", flush=True)
    rows = list(compare(runs["before"], runs["after"]))
    conditions = (
        f"Before is {options.revision}; medians of {options.rounds} rounds by turns, each of "
        f"{options.seconds:g} s; of the Pyramid baseline beside each; one process, PostgreSQL, 16 "
        f"connections; processor time of the server and its database. "
        f"Machine: {machine.describe()}."
    )
    text = f"{markdown([HEAD, *rows], text_columns=2)}\n\n{conditions}"
    publish(text, PART, options.markdown)
    return int(any(float(row[4]) < MIN_RATIO for row in rows))


def _options() -> argparse.Namespace:
    parser = options_parser("compare", __doc__)
    parser.add_argument("revision", help="what to compare this checkout with: a commit, a tag")
    parser.add_argument("--only", default="", help="only endpoints that this pattern finds")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one burst of load")
    return parser.parse_args()


@contextmanager
def _worktree(folder: Path, revision: str) -> Iterator[Path]:
    """Check a revision out into a folder of its own, and remove it afterwards."""
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), revision], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def _fill(folder: Path, name: str, root: Path, base: str, options: argparse.Namespace) -> str:
    """Create the community with the commands of a checkout; return the URL of its database."""
    print(f"preparing {name} …", flush=True)
    url = postgres.create_database(base, f"forum_{name}")
    fill(write_ini(folder, name, basic_settings(folder, url)), size_of(options), root)
    return url


def _measure(root: Path, url: str, options: argparse.Namespace) -> Figures:
    """Run one round of the benchmark of a checkout."""
    words = ["--url", url, "--databases", "postgresql", "--processes", "1", "--rounds", "1"]
    words += ["--seconds", str(options.seconds), "--only", options.only]
    program = [sys.executable, "-m", "benchmarks.run", *words]
    done = subprocess.run(
        program, cwd=root, env=environment(root), stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(program)} in {root} failed:\n{done.stdout[-4000:]}")
    return read_figures(done.stdout)


def read_figures(printed: str) -> Figures:
    """Parse the output of `benchmarks.run`, for PostgreSQL and one process.

    Raises RuntimeError if there is no such table, or if there were errors.
    """
    _, found, table = printed.partition("**postgresql**, 1 process, 16 connections")
    if not found:
        raise RuntimeError(f"No table in what the benchmark printed:\n{printed[-4000:]}")
    figures: dict[tuple[str, str], tuple[float, float]] = {}
    for line in re.findall(r"^\| (?!endpoint|-)(.*) \|$", table, re.M):
        cells = [cell.strip() for cell in line.split("|")]
        if int(cells[ERRORS]):
            raise RuntimeError(f"{cells[ENDPOINT]}: {cells[ERRORS]} errors.")
        key = cells[ENDPOINT], cells[CALLER]
        if cells[RATIO] and key not in figures:
            cpu = float(cells[SERVER_CPU]) + float(cells[DATABASE_CPU] or 0)
            figures[key] = float(cells[RATIO]), cpu
    return figures


def compare(before: list[Figures], after: list[Figures]) -> Iterator[tuple[str, ...]]:
    """Yield a row of the table, as in HEAD, for each endpoint of both revisions.

    before, after: the rounds, in the order of their measurement.
    """
    pairs: dict[tuple[str, str], list[tuple[float, ...]]] = defaultdict(list)
    for one, other in zip(before, after, strict=True):
        for key in one.keys() & other.keys():
            pairs[key].append((*one[key], *other[key], other[key][0] / one[key][0]))
    for key in (key for key in after[0] if key in pairs):
        was, cpu_was, is_, cpu_is, quotient = (
            median(them) for them in zip(*pairs[key], strict=True)
        )
        yield *key, f"{was:.3f}", f"{is_:.3f}", f"{quotient:.2f}", f"{cpu_was:.2f}", f"{cpu_is:.2f}"


if __name__ == "__main__":
    sys.exit(main())
