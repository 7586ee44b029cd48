"""The texts of the demo: slots filled, all elements of Markdown, HTML as if rendered as a whole."""

import random
import re
from itertools import permutations

import pytest

from forumsvc.demo.nodes import NODES, SECTIONS
from forumsvc.demo.rng import stream
from forumsvc.demo.social import TALK
from forumsvc.demo.texts import Render, Text, Texts
from forumsvc.demo.titles import TITLES

ELEMENTS = {
    "fenced code": r"<pre",
    "highlighted code": r'<span class="k',
    "bulleted list": r"<ul>\s*<li>",
    "numbered list": r"<ol>\s*<li>",
    "table": r"<table>.*<td",
    "quotation": r"<blockquote>",
    "link": r'<a href="https://',
    "mention": r'class="user-mention"',
    "inline code": r"<p>[^<]*<code>",
    "emphasis": r"<em>",
    "strong emphasis": r"<strong>",
    "heading": r"<h3",
    "deletion": r"<del>",
}


def places(rng: random.Random) -> tuple[int, int]:
    node = rng.randrange(len(NODES))
    return node, rng.randrange(len(NODES[node].subjects))


def written(texts: Texts, count: int) -> list[Text]:
    """Return topics and replies, half of them with a mention."""
    rng = stream(1, "test")
    made = []
    for number in range(count):
        login = ("ada_l", None)[number % 2]
        made.append(texts.topic(*places(rng), rng.random(), login))
        made.append(texts.reply(*places(rng), rng.random(), login))
    return made


@pytest.fixture(scope="module")
def texts(render: Render) -> Texts:
    return Texts(1, render, 4)


def test_the_html_of_a_text_is_what_its_whole_markdown_renders_to(
    texts: Texts, render: Render
) -> None:
    for text in written(texts, 200):
        assert text.html == render(text.body)


@pytest.mark.parametrize("kind", TALK)
def test_any_two_blocks_render_together_as_each_alone(kind: str, render: Render) -> None:
    talk = TALK[kind]
    fenced = "```python\nprint(1)\n```"
    blocks = [
        template.replace("«code»", fenced)
        for template in (*talk.openings, *talk.blocks, *talk.endings, *talk.replies)
    ]
    alone = {block: render(block) for block in blocks}
    for first, second in permutations(blocks, 2):
        assert render(f"{first}\n\n{second}") == f"{alone[first]}\n{alone[second]}"


@pytest.mark.parametrize("element", ELEMENTS)
def test_each_element_of_markdown_occurs(texts: Texts, element: str) -> None:
    pattern = re.compile(ELEMENTS[element], re.DOTALL)
    assert sum(bool(pattern.search(text.html)) for text in written(texts, 400)) > 2


def test_no_slot_is_left_open(texts: Texts) -> None:
    for text in written(texts, 1000):
        assert not set("«»") & set(text.body)


def test_the_same_seed_writes_the_same_texts(render: Render) -> None:
    assert written(Texts(5, render, 2), 50) == written(Texts(5, render, 2), 50)
    assert written(Texts(5, render, 2), 50) != written(Texts(6, render, 2), 50)


def test_a_text_does_not_depend_on_those_before_it(render: Render) -> None:
    warm, cold = Texts(5, render, 2), Texts(5, render, 2)
    written(warm, 50)
    assert warm.reply(3, 1, 0.3, "ada_l") == cold.reply(3, 1, 0.3, "ada_l")


def test_texts_are_various(texts: Texts) -> None:
    bodies = [text.body for text in written(texts, 1500)]
    assert len(set(bodies[::2])) > 0.95 * len(bodies[::2])
    assert len(set(bodies[1::2])) > 0.5 * len(bodies[1::2])


@pytest.mark.parametrize("node", range(len(NODES)), ids=[theme.name for theme in NODES])
def test_titles_are_various_and_fit(texts: Texts, node: int) -> None:
    rng = stream(1, "titles")
    subjects = len(NODES[node].subjects)
    titles = [texts.title(node, number % subjects, rng) for number in range(200)]
    kinds = len(TITLES[NODES[node].kind])
    assert len(set(titles)) > (150 if kinds > 20 else 20)
    assert all(0 < len(title) <= 255 and title == title.strip() for title in titles)
    assert not any("«" in title for title in titles)


def test_every_node_is_in_a_section_and_has_a_unique_name() -> None:
    assert {theme.section for theme in NODES} == set(SECTIONS)
    assert len({theme.name for theme in NODES}) == len(NODES)


def test_a_mention_stands_in_front(texts: Texts) -> None:
    rng = stream(1, "mentions")
    for _ in range(200):
        assert re.match(r"@ada_l\s", texts.reply(*places(rng), rng.random(), "ada_l").body)
