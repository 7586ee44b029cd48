"""The texts of the demo: slots filled, all elements of Markdown, in the right language."""

import re
from collections.abc import Callable
from itertools import permutations

import pytest

from forumsvc.demo import LANGUAGES, texts
from forumsvc.demo.language import Theme, themes
from forumsvc.demo.rng import stream
from forumsvc.markup import Renderer
from tests.cases import each

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
}
SCRIPTS = {"zh": r"[\u4e00-\u9fff]", "ja": r"[\u3040-\u30ff]", "ko": r"[\uac00-\ud7a3]"}
ALL = themes("mixed")


@pytest.fixture(scope="module")
def render() -> Callable[[str], str]:
    renderer = Renderer(workers=0)

    def rendered(text: str) -> str:
        draft = renderer.render(text)
        return draft.to_html({it.lower(): it for it in draft.mentions}, "/{login}")

    return rendered


def written(language: str, count: int) -> list[str]:
    """Return as many topics and as many replies, half of them with a mention."""
    rng, made = stream(1, "test"), []
    for number in range(count):
        theme, login = rng.choice(themes(language)), ("ada_l", None)[number % 2]
        made.append(texts.topic(theme, rng, mention=login))
        made.append(texts.reply(theme, rng, mention=login))
    return made


@each("theme", {theme.talk.replies: theme for theme in ALL}.values())
def test_any_two_blocks_render_together_as_each_alone(
    theme: Theme, render: Callable[[str], str]
) -> None:
    fenced = "```python\nprint(1)\n```"
    talk = theme.talk
    first = {one.replace("«code»", fenced) for one in (*talk.openings, *talk.replies)}
    second = {*talk.blocks, *talk.endings, *theme.language.asides, *theme.language.sentences[:2]}
    blocks = sorted(first | {one.replace("«code»", fenced) for one in second})
    alone = {block: render(block) for block in blocks}
    for one, other in stream(1).sample(list(permutations(blocks, 2)), 150):
        assert render(f"{one}\n\n{other}") == f"{alone[one]}\n{alone[other]}"


@each("language", LANGUAGES[:-1])
def test_each_element_of_markdown_occurs(language: str, render: Callable[[str], str]) -> None:
    html = [render(text) for text in written(language, 250)]
    for element, pattern in ELEMENTS.items():
        found = re.compile(pattern, re.DOTALL)
        assert sum(bool(found.search(one)) for one in html) > 2, element


@each("language", LANGUAGES)
def test_no_slot_is_left_open(language: str) -> None:
    rng = stream(1)
    titles = [texts.title(rng.choice(themes(language)), rng) for _ in range(500)]
    for text in (*titles, *written(language, 500)):
        assert not set("«»") & set(text)


@each("language", SCRIPTS)
def test_texts_are_in_the_script_of_their_language(language: str) -> None:
    found = [len(re.findall(SCRIPTS[language], text)) for text in written(language, 200)]
    assert sum(found) / len(found) > 20


def test_texts_are_various() -> None:
    bodies = written("en", 1500)
    assert len(set(bodies[::2])) > 0.95 * len(bodies[::2])
    assert len(set(bodies[1::2])) > 0.5 * len(bodies[1::2])


@each("theme", ALL)
def test_titles_are_various_and_fit(theme: Theme) -> None:
    rng = stream(1, "titles")
    titles = [texts.title(theme, rng) for _ in range(200)]
    assert len(set(titles)) > 15
    assert all(0 < len(title) <= 200 and title == title.strip() for title in titles)


@each("language", LANGUAGES)
def test_every_node_has_a_unique_name(language: str) -> None:
    names = [theme.name for theme in themes(language)]
    assert len(set(names)) == len(names) > 7


def test_a_mention_stands_in_front_and_no_quotation_follows_it() -> None:
    rng = stream(1, "mentions")
    for _ in range(300):
        text = texts.reply(rng.choice(ALL), rng, mention="ada_l")
        assert re.match(r"@ada_l [^>]", text)
