"""Draws the pictures of docs/performance.md from its tables: `python -m docs.make_pictures`.

An SVG is light or dark as its reader's browser prefers, says its figures in text, and tells lines
apart by dashes, not by color alone.
"""

import csv
from collections.abc import Sequence
from html import escape
from math import ceil
from pathlib import Path

TABLES = Path(__file__).with_name("performance")
IMAGES = Path(__file__).with_name("images")
ENDPOINTS = {"server": "postgresql", "processes": "1", "connections": "16"}
"""Which rows of `endpoints.csv` are drawn."""
MIXES_OF = "postgresql"
"""With which the names of the servers begin whose rows of `mixes.csv` are drawn."""
SOAK_LINES = {
    "writes p99 ms": "c",
    "reads p99 ms": "d",
    "writes p50 ms": "a",
    "reads p50 ms": "b",
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


def pictures(tables: Path) -> dict[str, str]:
    """Return the SVGs of the tables in a folder, by the names of their files."""
    measured = [row for row in _read(tables / "endpoints.csv") if ENDPOINTS.items() <= row.items()]
    ratios = {f"{it['endpoint']}, {it['caller']}": it["of the baseline"] for it in measured}
    lists = _read(tables / "scale.csv")
    growth = {f"{it['list']}, from {int(it['offset']):,}": it["large/small"] for it in lists}
    mixed = [it for it in _read(tables / "mixes.csv") if it["server"].startswith(MIXES_OF)]
    spread = {
        f"{row['mix']}, {row['caller']}{row['server'].removeprefix(MIXES_OF)}: {kind}": (
            float(row[f"{kind} p50 ms"]),
            float(row[f"{kind} p99 ms"]),
        )
        for row in mixed
        for kind in ("reads", "writes")
    }
    return {
        "endpoints.svg": bars(
            "Requests per second of each endpoint, relative to a bare Pyramid view (1.0)",
            "PostgreSQL, 1 process, 16 connections. Longer is faster.",
            ratios,
        ),
        "member.svg": bars(
            "Processor time of a topic in µs, read by nobody and by a member",
            "The application alone, from the page cache.",
            {row["part"]: row["µs"] for row in _read(tables / "member.csv")},
        ),
        "scale.svg": bars(
            "Time of each list with 200,000 topics, relative to its front with 10,000",
            "PostgreSQL, no page cache. From 0 is the front. Shorter is faster.",
            growth,
        ),
        "mixes.svg": spans(
            "Milliseconds of the reads and of the writes of each mix: p50 and p99",
            "PostgreSQL, 1 process, 16 connections. The bar ends at p50, the line at p99.",
            spread,
        ),
        "soak.svg": lines(
            "Latency in milliseconds over the tenths of a long run",
            "p50: half of the requests are quicker; p99: 99 of 100 are.",
            {name: [float(row[name]) for row in _read(tables / "soak.csv")] for name in SOAK_LINES},
        ),
    }


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def bars(title: str, note: str, values: dict[str, str]) -> str:
    """Return a bar for each value as an SVG."""
    left, top, step, unit = 290, 74, 22, 500.0
    bottom = top + step * len(values)
    largest = max(1.0, *map(float, values.values()))
    parts = [_text(16, 28, title), _text(16, 48, note, "note")]
    parts += _axis(left, top, bottom, unit, largest)
    for number, (name, value) in enumerate(values.items()):
        y = top + step * number
        width = float(value) / largest * unit
        parts.append(_text(left - 8, y + 13, name, "", "end"))
        parts.append(f'<rect class="bar" x="{left}" y="{y + 2}" width="{width:.1f}" height="14"/>')
        parts.append(_text(left + width + 6, y + 13, value))
    facts = "; ".join(f"{name}: {value}" for name, value in values.items())
    return _svg(840, bottom + 28, title, facts, parts)


def spans(title: str, note: str, values: dict[str, tuple[float, float]]) -> str:
    """Return for each pair of values a bar to the first and a line to the second, as an SVG."""
    left, top, step, unit = 440, 74, 22, 340.0
    bottom = top + step * len(values)
    largest = 50 * ceil(max(most for _, most in values.values()) / 50)
    parts = [_text(16, 28, title), _text(16, 48, note, "note")]
    parts += _axis(left, top, bottom, unit, largest)
    for number, (name, (usual, most)) in enumerate(values.items()):
        y = top + step * number
        width, end = usual / largest * unit, left + most / largest * unit
        line = f"{left + width:.1f},{y + 9} {end:.1f},{y + 9} {end:.1f},{y + 3} {end:.1f},{y + 15}"
        parts.append(_text(left - 8, y + 13, name, "", "end"))
        parts.append(f'<rect class="bar" x="{left}" y="{y + 2}" width="{width:.1f}" height="14"/>')
        parts.append(f'<polyline class="c" points="{line}"/>')
        parts.append(_text(end + 6, y + 13, f"{usual:.1f}; {most:.1f}"))
    facts = "; ".join(f"{name}: {usual} and {most}" for name, (usual, most) in values.items())
    return _svg(900, bottom + 28, title, facts, parts)


def _axis(left: float, top: float, bottom: float, unit: float, largest: float) -> list[str]:
    """Return the lines and numbers from 0 to the largest value, which is `unit` to the right."""
    parts = []
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        x = left + tick * unit
        parts.append(f'<path class="axis" d="M{x:.1f} {top - 6}V{bottom}"/>')
        parts.append(_text(x, bottom + 16, f"{tick * largest:.1f}", "note", "middle"))
    return parts


def lines(title: str, note: str, columns: dict[str, list[float]]) -> str:
    """Return a line for each column as an SVG."""
    left, right, top, bottom = 60.0, 680.0, 74.0, 334.0
    ceiling = 50 * (max(max(values) for values in columns.values()) // 50 + 1)
    parts = [_text(16, 28, title), _text(16, 48, note, "note")]
    for tick in range(0, int(ceiling) + 1, 50):
        y = bottom - (bottom - top) * tick / ceiling
        parts.append(f'<path class="axis" d="M{left} {y:.1f}H{right}"/>')
        parts.append(_text(left - 8, y + 4, str(tick), "note", "end"))
    many = len(next(iter(columns.values())))
    places = [left + (right - left) * index / (many - 1) for index in range(many)]
    for index, x in enumerate(places):
        parts.append(_text(x, bottom + 20, str(index + 1), "note", "middle"))
    lowest = 0.0
    heights = {
        label: [bottom - (bottom - top) * value / ceiling for value in values]
        for label, values in columns.items()
    }
    for label, line in sorted(heights.items(), key=lambda item: item[1][-1]):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(places, line, strict=True))
        parts.append(f'<polyline class="{SOAK_LINES[label]}" points="{points}"/>')
        # A label is moved down where it would cover the one above.
        lowest = max(line[-1] + 4, lowest + 17)
        parts.append(_text(right + 8, lowest, f"{label}: {columns[label][-1]:.1f}"))
    facts = "; ".join(f"{one}: {', '.join(map(str, values))}" for one, values in columns.items())
    return _svg(840, 364, title, facts, parts)


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind} text-anchor="{anchor}">{escape(text)}</text>'


def _svg(width: int, height: int, title: str, facts: str, parts: Sequence[str]) -> str:
    """Return a whole SVG. facts: the same figures in words, for screen readers."""
    whole = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="title facts">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="facts">{escape(facts)}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(whole) + "\n"


if __name__ == "__main__":
    for name, svg in pictures(TABLES).items():
        (IMAGES / name).write_text(svg, encoding="utf-8")
