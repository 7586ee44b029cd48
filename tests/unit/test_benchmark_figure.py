"""The figures of the benchmark show what its tables say."""

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

from benchmarks import document, figure

PAGE = figure.PAGE
IMAGES = PAGE.parent / "images"
SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314  # our own


def test_the_committed_figures_are_drawn_from_the_committed_tables(tmp_path: Path) -> None:
    shutil.copy(PAGE, tmp_path)
    figure.draw(tmp_path / PAGE.name)
    for name in ("endpoints.svg", "soak.svg"):
        drawn = (tmp_path / "images" / name).read_text()
        assert drawn == (IMAGES / name).read_text(), "run `python -m benchmarks.figure`"


def test_each_bar_is_as_long_as_its_ratio_and_says_it() -> None:
    rows = figure.ratios(document.read_part(PAGE, "benchmark"))
    root = parsed(figure.endpoints(rows))
    lengths = [float(bar.get("width", "")) for bar in root.iter(f"{SVG}rect") if bar.get("x")]
    assert len(rows) > 20
    assert [round(length / 560, 3) for length in lengths] == [float(row[2]) for row in rows]
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert all(f"{endpoint}, {caller}" in texts for endpoint, caller, _ in rows)
    assert all(ratio in texts for *_, ratio in rows)


def test_each_line_of_the_soak_has_its_label_and_its_own_stroke() -> None:
    rows = figure.tenths(document.read_part(PAGE, "soak"))
    svg = figure.soak(rows)
    root = parsed(svg)
    lines = list(root.iter(f"{SVG}polyline"))
    assert [len(line.get("points", "").split()) for line in lines] == [len(rows)] * 4
    assert len({line.get("class") for line in lines}) == 4
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert f"reads p50: {rows[-1][2]}" in texts
    assert f"writes p99: {rows[-1][5]}" in texts


def test_a_screen_reader_gets_the_title_and_every_figure() -> None:
    for name in ("endpoints.svg", "soak.svg"):
        root = parsed((IMAGES / name).read_text())
        title, facts = root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")
        assert title
        shown = [text.text or "" for text in root.iter(f"{SVG}text")]
        for value in re.findall(r"\d+\.\d+$", "\n".join(shown[2:]), re.M):
            assert value in str(facts) or value in {"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}


def test_a_page_without_tables_gets_no_figures(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Nothing measured\n")
    figure.draw(page)
    assert not (tmp_path / "images").exists()
