"""Draws the figures of docs/performance.md from its tables: `python -m benchmarks.figure`.

`benchmarks.run` and `benchmarks.soak` draw them where they write the tables. An SVG is light or
dark as its reader's browser prefers, says its figures in text, and tells lines apart by dashes, not
by color alone.
"""

import argparse
from collections.abc import Sequence
from html import escape
from pathlib import Path

from benchmarks import document

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
LOAD = "**postgresql**, 1 process, 16 connections"
"""The title of the table whose ratios are drawn."""
ENDPOINT, CALLER, RATIO = 0, 1, 5
SOAK_LINES = {
    # label: column of the soak's table, class of its line
    "writes p99": (5, "c"),
    "reads p99": (3, "d"),
    "writes p50": (4, "a"),
    "reads p50": (2, "b"),
}
STYLE = """
text { font: 13px sans-serif; fill: #1f2328 }
.note { fill: #59636e }
.axis { stroke: #d1d9e0 }
.bar { fill: #0969da }
polyline { fill: none; stroke-width: 2 }
.a { stroke: #0969da }
.b { stroke: #0969da; stroke-dasharray: 2 4 }
.c { stroke: #bc4c00 }
.d { stroke: #bc4c00; stroke-dasharray: 7 4 }
.paper { fill: #ffffff }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .note { fill: #9198a1 }
  .axis { stroke: #3d444d }
  .bar { fill: #4493f8 }
  .a, .b { stroke: #4493f8 }
  .c, .d { stroke: #f0883e }
  .paper { fill: #0d1117 }
}
"""


def draw(page: Path) -> None:
    """Write an SVG into `images/` beside the page for each of the tables that the page has."""
    drawn = {
        "endpoints.svg": endpoints(ratios(document.read_part(page, "benchmark"))),
        "soak.svg": soak(tenths(document.read_part(page, "soak"))),
    }
    for name, svg in drawn.items():
        if svg:
            (page.parent / "images").mkdir(exist_ok=True)
            (page.parent / "images" / name).write_text(svg, encoding="utf-8")


def ratios(text: str) -> list[tuple[str, str, str]]:
    """Return endpoint, caller and ratio to the Pyramid baseline, each as the table says it."""
    rows = _first_table(text.partition(LOAD)[2])
    return [(row[ENDPOINT], row[CALLER], row[RATIO]) for row in rows if row[RATIO]]


def tenths(text: str) -> list[list[str]]:
    """Return the rows of the soak's table."""
    return _first_table(text)


def endpoints(rows: Sequence[tuple[str, str, str]]) -> str:
    """Return bars of the ratios as an SVG; an empty string without rows."""
    if not rows:
        return ""
    left, top, step, unit = 230, 74, 22, 560.0
    bottom = top + step * len(rows)
    parts = [
        _text(16, 28, "Requests per second, relative to a bare Pyramid view (1.0)"),
        _text(16, 48, "PostgreSQL, 1 process, 16 connections. Longer is faster.", "note"),
    ]
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        x = left + tick * unit
        parts.append(f'<path class="axis" d="M{x:.1f} {top - 6}V{bottom}"/>')
        parts.append(_text(x, bottom + 16, f"{tick:.1f}", "note", "middle"))
    for number, (endpoint, caller, ratio) in enumerate(rows):
        y = top + step * number
        width = float(ratio) * unit
        parts.append(_text(left - 8, y + 13, f"{endpoint}, {caller}", "", "end"))
        parts.append(f'<rect class="bar" x="{left}" y="{y + 2}" width="{width:.1f}" height="14"/>')
        parts.append(_text(left + width + 6, y + 13, ratio))
    facts = "; ".join(f"{endpoint}, {caller}: {ratio}" for endpoint, caller, ratio in rows)
    title = "Requests per second of each endpoint, relative to a bare Pyramid view"
    return _svg(820, bottom + 28, title, facts, parts)


def soak(rows: Sequence[Sequence[str]]) -> str:
    """Return the latencies of the soak's tenths as lines in an SVG; empty for less than two."""
    if len(rows) < 2:
        return ""
    left, right, top, bottom = 60.0, 700.0, 74.0, 334.0
    columns = {
        label: [float(row[column].replace(",", "")) for row in rows]
        for label, (column, _) in SOAK_LINES.items()
    }
    ceiling = 50 * (max(max(values) for values in columns.values()) // 50 + 1)
    parts = [
        _text(16, 28, "Latency in milliseconds over the tenths of a long run"),
        _text(16, 48, "p50: half of the requests are quicker; p99: 99 of 100 are.", "note"),
    ]
    for tick in range(0, int(ceiling) + 1, 50):
        y = bottom - (bottom - top) * tick / ceiling
        parts.append(f'<path class="axis" d="M{left} {y:.1f}H{right}"/>')
        parts.append(_text(left - 8, y + 4, str(tick), "note", "end"))
    places = [left + (right - left) * index / (len(rows) - 1) for index in range(len(rows))]
    for x, row in zip(places, rows, strict=True):
        parts.append(_text(x, bottom + 20, row[0], "note", "middle"))
    ends = {}
    for label, values in columns.items():
        heights = [bottom - (bottom - top) * value / ceiling for value in values]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(places, heights, strict=True))
        parts.append(f'<polyline class="{SOAK_LINES[label][1]}" points="{points}"/>')
        ends[label] = heights[-1]
    for label, y in _spread(ends):
        parts.append(_text(right + 8, y + 4, f"{label}: {columns[label][-1]:.1f}"))
    facts = "; ".join(f"{one}: {', '.join(map(str, values))}" for one, values in columns.items())
    return _svg(840, 364, "Latency in milliseconds over the tenths of a long run", facts, parts)


def _first_table(text: str) -> list[list[str]]:
    """Return the cells of the first table of Markdown, without its header."""
    table = text.partition("| ")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]


def _spread(heights: dict[str, float]) -> list[tuple[str, float]]:
    """Return the labels from the top, moved down where they would cover the one above."""
    spread: list[tuple[str, float]] = []
    for label, y in sorted(heights.items(), key=lambda item: item[1]):
        spread.append((label, max(y, spread[-1][1] + 17) if spread else y))
    return spread


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind} text-anchor="{anchor}">{escape(text)}</text>'


def _svg(width: int, height: int, title: str, facts: str, parts: Sequence[str]) -> str:
    """Return a whole SVG. facts: the same figures in words, for screen readers."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="title facts">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="facts">{escape(facts)}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Draw the figures again from a page that has its tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figure", description=__doc__)
    parser.add_argument("page", type=Path, nargs="?", default=PAGE)
    draw(parser.parse_args().page)


if __name__ == "__main__":
    main()
