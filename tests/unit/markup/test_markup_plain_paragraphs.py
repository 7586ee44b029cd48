"""A text that is rendered without a worker has the HTML that a worker would give it."""

from itertools import chain
from pathlib import Path

import pytest
import yaml

from forumsvc.demo.posts import community
from forumsvc.markup import Renderer
from forumsvc.markup.plain_paragraphs import MAX_LENGTH, render_plain
from tests.cases import each
from tests.unit.markup import plain_texts
from tests.unit.markup.conftest import OWN_HOST
from tests.unit.markup.hostile_texts import TEXTS as HOSTILE
from tests.unit.markup.large_texts import UNITS
from tests.unit.markup.test_markup_guide import examples

POSTS = [post.body for post in community("mixed")[2]]
SYNTAX = yaml.safe_load(Path(__file__).with_name("syntax.yaml").read_text("utf-8"))
CORPUS = [
    *POSTS,
    *(line for text in POSTS for line in text.splitlines()),
    *(text for text, _ in chain(*SYNTAX.values(), examples())),
    *(text[:length] for text in (*HOSTILE.values(), *UNITS.values()) for length in (9, 99, 999)),
]


def test_a_plain_text_is_rendered_byte_for_byte_as_the_pipeline_renders_it(pipeline):
    accepted, different = plain_texts.compare(pipeline, 4_000)
    assert different == []
    assert accepted > 800


@pytest.mark.extended
def test_many_plain_texts_are_rendered_as_the_pipeline_renders_them(pipeline):
    assert plain_texts.compare(pipeline, 100_000, seed=1)[1] == []


def test_what_people_write_is_rendered_as_the_pipeline_renders_it(pipeline):
    plain = [(text, html) for text in CORPUS if (html := render_plain(text)) is not None]
    assert [text for text, html in plain if html != pipeline.render(text, OWN_HOST)] == []


def test_most_posts_of_the_demo_are_plain():
    assert sum(render_plain(text) is not None for text in POSTS) > len(POSTS) / 2


@each(
    "text",
    [
        "Thanks!\n\nIt's 3.5 now (at 100%).",
        "@bob, see snake_case: yes",
        "谢谢，好了。",
        "شكرا 👍🏽",
    ],
)
def test_a_text_of_words_needs_no_worker(text):
    renderer = Renderer()
    assert renderer.render(text).fallback is None
    assert (renderer.workers, renderer.stats.rendered) == (0, 1)


@each(
    "text",
    ["", " a", "1. a", "*a*", "a  \nb", "www.a.example", "a@b.c", "a" * (MAX_LENGTH + 1)],
)
def test_what_may_be_more_than_words_is_left_to_the_pipeline(text):
    assert render_plain(text) is None
