"""Inline Markdown gives the same HTML as Python-Markdown, with fewer copies of a paragraph."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown.treeprocessors import InlineProcessor as InlineTreeProcessor
from pymdownx.superfences import SuperFencesBlockPreprocessor

from forumsvc.markup.syntax import MarkdownParser
from forumsvc.markup.syntax.code_spans import _CodeSpanProcessor
from forumsvc.markup.syntax.inline import _TRIGGERS
from forumsvc.markup.syntax.links import _LinkProcessor
from tests.cases import each

PIECES = [
    *("[a](b)", "[a][b]", "[b]: c", "![a](b)", "`a`", "``", "`", "\\", "\\\\", "!", "[", "]"),
    *("'", '"', "<b>", "<!--", "-->", "<c:d>", "<e@f.g>", "&amp;", ":smile:", "*", "**", "_", "~~"),
    *("(", ")", "www.a.b", "wWW.a.b", "http://a.b", "e@f.g", "@a_b_", "/", "+", "a", " "),
    *("  \n", "\n"),
    *("\\\n", "\n\n"),
]


@pytest.fixture(scope="module")
def parser() -> MarkdownParser:
    return MarkdownParser()


@pytest.fixture(scope="module")
def plain_parser() -> MarkdownParser:
    """A parser with Python-Markdown's own inline processor."""
    parser = MarkdownParser()
    markdown = parser._markdown
    markdown.treeprocessors.register(InlineTreeProcessor(markdown), "inline", 20)
    return parser


@given(text=st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_inline_markdown_reads_as_python_markdown_reads_it(parser, plain_parser, text):
    assert parser.convert(text) == plain_parser.convert(text)


def test_of_each_pattern_it_is_known_what_every_match_contains(parser):
    patterns = parser._markdown.inlinePatterns
    assert sorted(map(patterns.get_index_for_name, _TRIGGERS)) == list(range(len(patterns)))


@each(("processor", "unit"), [(_LinkProcessor, "[a](b)\n"), (_CodeSpanProcessor, "`a`\n")])
def test_all_matches_of_a_pattern_are_read_from_one_copy_of_the_paragraph(
    parser, monkeypatch, processor, unit
):
    copies = []
    handle = processor.handleMatch

    def handle_match(self: Any, match: re.Match[str], data: str) -> Any:
        if type(self) is processor:
            copies.append(data)
        return handle(self, match, data)

    monkeypatch.setattr(processor, "handleMatch", handle_match)
    parser.convert(unit * 500)
    assert len(copies) == 500
    assert len({id(copy) for copy in copies}) == 1


@each("unit", ["[", "![a", "[a](b)\n", "[a](b", "[[a](b)](c)"])
def test_all_links_of_a_paragraph_are_found_in_one_search(parser, monkeypatch, unit):
    searched = []
    find = _LinkProcessor._find

    def counted(self: Any, text: str) -> Any:
        searched.append(text)
        return find(self, text)

    monkeypatch.setattr(_LinkProcessor, "_find", counted)
    parser.convert(unit * 500)
    assert len(searched) == 1


def test_a_fence_is_put_in_its_place_without_a_copy_of_all_lines(parser, monkeypatch):
    copied = 0
    reassemble = SuperFencesBlockPreprocessor.reassemble

    def counted(self: Any, lines: list[str]) -> list[str]:
        nonlocal copied
        copied += len(lines) * len(self.stack)
        return reassemble(self, lines)

    monkeypatch.setattr(SuperFencesBlockPreprocessor, "reassemble", counted)
    html = parser.convert("```\na\n```\n" * 500)
    assert html.count("<pre") == 500
    assert copied == 0
