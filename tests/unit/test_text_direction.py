"""Texts run in the direction of their first letter, or of a third of them from right to left."""

import pytest

from forumsvc.pages.post_html import post_html
from forumsvc.pages.text_direction import direction_of, with_directions

ARABIC = "أداة التثبيت"
MENTION = '<a class="user-mention" href="/b">@a_very_long_login</a>'


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("C++ or Rust?", "auto"),
        ("", "auto"),
        ("123 …", "auto"),
        ("C++ أم Rust؟ (سؤال قديم)", "rtl"),
        ("casino مجاني هنا!", "rtl"),
        ("The Arabic word for a book is كتاب", "ltr"),
        ("<mark>Python</mark> لغة", "rtl"),
        ("שלום world", "rtl"),
        ("Django أم Flask؟ سؤال عن (nginx)", "rtl"),
        ("شغّل pip install -U forumsvc", "rtl"),
        ("https://example.org/a/long/address أداة", "rtl"),
    ],
)
def test_a_line_has_its_direction_whatever_names_and_addresses_are_in_it(text, direction):
    assert direction_of(text) == direction


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Only English</p>", "<p>Only English</p>"),
        (f"<p><code>pip</code> {ARABIC}</p>", f'<p dir="rtl"><code>pip</code> {ARABIC}</p>'),
        (
            f"<blockquote><p>{MENTION} {ARABIC}</p></blockquote>",
            f'<blockquote dir="rtl"><p dir="rtl">{MENTION} {ARABIC}</p></blockquote>',
        ),
        (
            f"<ul><li>{ARABIC}</li><li>English</li></ul>",
            f'<ul dir="rtl"><li>{ARABIC}</li><li>English</li></ul>',
        ),
        (
            "<ol><li>افتح https://example.org/where</li><li>شغّل pip install</li></ol>",
            '<ol dir="rtl"><li>افتح https://example.org/where</li><li>شغّل pip install</li></ol>',
        ),
        (
            f"<ul><li>English first</li><li>{ARABIC}</li></ul>",
            f'<ul dir="rtl"><li>English first</li><li>{ARABIC}</li></ul>',
        ),
        (f'<p dir="ltr">{ARABIC}</p>', f'<p dir="ltr">{ARABIC}</p>'),
        (
            f"<pre><code>{ARABIC}</code></pre><p>1 <br>2</p>",
            f"<pre><code>{ARABIC}</code></pre><p>1 <br>2</p>",
        ),
        (f"</p>{ARABIC}<p>", f"</p>{ARABIC}<p>"),
        (f'<p title="a > b">{ARABIC}', f'<p title="a > b">{ARABIC}'),
    ],
)
def test_each_block_of_a_post_has_its_own_direction(html, expected):
    assert with_directions(html) == expected


def test_a_table_stands_on_the_side_where_it_begins():
    table = f"<table><tbody><tr><td>{ARABIC}</td></tr></tbody></table>"
    assert '<div class="wide" dir="rtl" tabindex="0"><table dir="rtl">' in post_html(table, "/t")


def test_deeply_nested_blocks_all_have_the_direction_of_what_is_in_them():
    deep = "<blockquote>" * 200 + f"<p>{ARABIC}</p>" + "</blockquote>" * 200
    assert with_directions(deep).count('dir="rtl"') == 201
