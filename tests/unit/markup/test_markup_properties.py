"""Properties of the HTML of every text."""

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from forumsvc.markup import RenderedText, Renderer
from forumsvc.markup.html_nodes import nodes
from forumsvc.markup.pipeline import Pipeline
from forumsvc.markup.sanitizer import sanitize, sanitize_author_html
from tests.unit.markup import shown_texts
from tests.unit.markup.shown_texts import generated, hidden_words
from tests.unit.markup.test_markup_xss import dangers

PIPELINE = Pipeline()
IN_THIS_PROCESS = Renderer(workers=0)
LOGIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,18}[A-Za-z0-9_]")

snippets = st.sampled_from(
    [
        *("@bob", "@_ann_", " @cy. ", "a@b.org", "#12", ":smile:", "`", "``", "```", "```py\n"),
        *("~~~\n", "    ", "\n", "\n\n", "\n    ", "- ", "* ", "1. ", "2) ", "> ", "# ", "===\n"),
        *("---\n", "**", "__", "*", "_", "~~", "[", "](", ")", "![", "[x]: ", "<b>", "</b>", "<a>"),
        *('<a href="', '">', "</a>", "<p>", "</p>", "<div>", "</div>", "<pre>", "</pre>", "<code>"),
        *("</code>", "<script>", "</script>", "<!--", "-->", "<table>", "<td>", "</table>", "|"),
        *("|-|-|\n", "<svg>", "<style>", "<img src=", " onerror=", "&", "&lt;", "&#35;", "\\", "'"),
        *('"', "http://a.b/", "javascript:x", "\x02wzxhzdk:0\x03", "\xa0", "\t", "\r", "é", "你"),
    ]
)
markdown = st.lists(snippets | st.text(max_size=5), max_size=25).map("".join)


def joined(parts: list[str]) -> str:
    return RenderedText(tuple(parts)).html


@given(markdown)
@settings(max_examples=120)
def test_sanitizing_what_was_rendered_changes_nothing_and_nothing_is_dangerous(text):
    html = joined(PIPELINE.render(text, "forum.example"))
    assert sanitize(html) == html
    assert dangers(html) == []


@given(markdown)
@example('<h1><a href="/x"><h1><table><a href="/x">')  # changes twice
@settings(max_examples=100)
def test_sanitizing_any_html_twice_is_sanitizing_it_once(html):
    once = sanitize(sanitize_author_html(html))
    assert sanitize(once) == once
    assert sanitize(sanitize_author_html(once)) == once


@given(st.text(max_size=200) | markdown)
@settings(max_examples=100)
def test_rendering_never_raises(text):
    draft = IN_THIS_PROCESS.render(text)
    assert len(draft.segments) % 2 == 1


@given(markdown)
@settings(max_examples=100)
def test_a_mention_is_a_login_and_never_in_code_or_a_link(text):
    parts = PIPELINE.render(text, "forum.example")
    assert all(LOGIN.fullmatch(login) for login in parts[1::2])
    marked = [f"\ue000{part}\ue000" if number % 2 else part for number, part in enumerate(parts)]
    inside = [node.source for node in nodes("".join(marked)) if not node.prose]
    assert "\ue000" not in "".join(inside) or "\ue000" in text


@given(st.integers(0, 2**32))
@settings(max_examples=100)
def test_every_word_is_shown_but_in_a_tag_or_target(seed):
    text, words = generated(random.Random(seed))  # noqa: S311
    assert hidden_words(PIPELINE, text, words) == [], text


@pytest.mark.extended
def test_every_word_of_many_texts_is_shown():
    assert shown_texts.main(30_000) == 0
