"""The pictures of docs/performance.md show what its tables say."""

import re
from xml.etree import ElementTree

import pytest

from docs import make_pictures

SVG = "{http://www.w3.org/2000/svg}"
PICTURES = make_pictures.pictures(make_pictures.TABLES)


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314  # our own


@pytest.mark.parametrize("name", PICTURES)
def test_the_committed_pictures_are_drawn_from_the_committed_tables(name: str) -> None:
    drawn = (make_pictures.IMAGES / name).read_text()
    assert drawn == PICTURES[name], "run `python -m docs.make_pictures`"


def test_each_bar_is_as_long_as_its_ratio_and_says_it() -> None:
    values = {"topic list, nobody": "0.61", "create reply, member": "0.044"}
    root = parsed(make_pictures.bars("Title", "Note", values))
    lengths = [float(bar.get("width", "")) for bar in root.iter(f"{SVG}rect") if bar.get("x")]
    assert [round(length / 500, 3) for length in lengths] == [0.61, 0.044]
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {*values, *values.values()} <= {*texts}


def test_each_line_of_the_soak_has_its_label_and_its_own_stroke() -> None:
    root = parsed(PICTURES["soak.svg"])
    drawn = list(root.iter(f"{SVG}polyline"))
    assert [len(line.get("points", "").split()) for line in drawn] == [10] * 4
    assert len({line.get("class") for line in drawn}) == 4
    labels = {(text.text or "").partition(":")[0] for text in root.iter(f"{SVG}text")}
    assert make_pictures.SOAK_LINES.keys() <= labels


@pytest.mark.parametrize("name", PICTURES)
def test_a_screen_reader_gets_the_title_and_every_figure(name: str) -> None:
    root = parsed(PICTURES[name])
    assert root.findtext(f"{SVG}title")
    facts = str(root.findtext(f"{SVG}desc"))
    shown = [text.text or "" for text in root.iter(f"{SVG}text") if text.get("class") != "note"]
    for value in re.findall(r"\d+\.\d+$", "\n".join(shown[1:]), re.M):
        assert value in facts
