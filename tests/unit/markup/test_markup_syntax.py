"""Markdown as authors of forums write it."""

import re
from pathlib import Path

import pytest
import yaml

from forumsvc.markup.html_tags import MAX_DEPTH
from forumsvc.markup.plain_text import escape_to_html
from forumsvc.markup.sanitizer import FOREIGN_REL
from forumsvc.markup.syntax import code_highlighting
from forumsvc.markup.syntax.lists import _MAX_DEPTH
from forumsvc.markup.text_content import text_content
from tests.cases import each

TABLE = yaml.safe_load(Path(__file__).with_name("syntax.yaml").read_text("utf-8"))
CODE = '<pre class="highlight"><code>x</code></pre>'


@pytest.mark.parametrize("rule", TABLE)
def test_what_authors_write_becomes_what_the_table_says(html, rule):
    wrong = {}
    for text, expected in TABLE[rule]:
        rendered = html(text)
        if isinstance(expected, list):
            found = re.findall(r'<a href="([^"]*)"', rendered)
        else:
            expected = expected.replace("$code", CODE).replace("$rel", FOREIGN_REL)
            found = rendered.replace("\n", "").replace(' id="user-content-heading"', "")
        if found != expected:
            wrong[text] = found
    assert wrong == {}


def test_line_ends_break_lines_in_paragraphs_items_and_quotes(html):
    assert html("a\nb") == "<p>a<br>\nb</p>"
    assert "a<br>\nb" in html("- a\n  b")
    assert "a<br>\nb" in html("> a\n> b")


def test_lists_nest_to_a_bound_and_the_rest_is_text(html):
    assert html("- " * (_MAX_DEPTH + 5) + "a").count("<ul>") == _MAX_DEPTH


@each("language", ["c++", "unheard-of", "objective-c"])
def test_the_first_word_after_a_fence_is_its_language(html, language):
    rendered = html(f"``` {language} key=value {{1}}\n```")
    assert rendered == f'<pre class="highlight"><code class="language-{language}"></code></pre>'


def test_code_is_highlighted_up_to_a_size_and_plain_above_it(html):
    line = "x = 1\n"
    fitting = line * (code_highlighting.MAX_LENGTH // len(line))
    assert 'class="mi"' in html(f"```python\n{fitting}```")
    assert 'class="mi"' not in html(f"```python\n{fitting}{line}```")


def test_code_stays_plain_where_the_lexers_have_taken_their_time(html, monkeypatch):
    monkeypatch.setattr(code_highlighting, "MAX_CPU_SECONDS", -1.0)
    assert html("```python\nx = 1\n```") == (
        '<pre class="highlight"><code class="language-python">x = 1\n</code></pre>'
    )


@each(
    ("text", "expected"),
    [
        ("**小心：**地滑，**请慢行。**谢谢", "[小心：]地滑，[请慢行。]谢谢"),
        ("**A，**和**B，**或", "[A，]和[B，]或"),
        ("**（A）**和**（B）**", "[（A）]和[（B）]"),
        ("他说**“好”**吧，**小心…**地滑", "他说[“好”]吧，[小心…]地滑"),
        ("これは**「重要。」**です", "これは[「重要。」]です"),
        ('**"x"**는 **마크다운(Markdown)**은', '["x"]는 [마크다운(Markdown)]은'),
        ("**C++**和**C#**", "[C++]和[C#]"),
        ('a**"b"**c', 'a**"b"**c'),
    ],
)
@each(("token", "tag"), [("**", "strong"), ("*", "em"), ("~~", "del")])
def test_emphasis_starts_and_ends_beside_chinese_japanese_and_korean_punctuation(
    html, text, expected, token, tag
):
    marked = expected.replace("[", f"<{tag}>").replace("]", f"</{tag}>").replace("**", token)
    assert html(text.replace("**", token)) == f"<p>{marked}</p>"


@each(
    "written",
    [
        *("<none>", "<lambda>", "<T>", "<your name here>", "vector<int>", "</none>", "<none/>"),
        *("<text>", "<View>", "<MATH>", "<foreignObject x='1'>", "<svg><path d='M0'/></svg>"),
        *("<script>alert(1)</script>", "<iframe src=x>y</iframe>", "<font color=red>y</font>"),
        *("<style>p{}</style>", "<title>y</title>", "<textarea>y", "<select><option>y</select>"),
        *(
            "<!-- y -->",
            "<!-->",
            "<?php y ?>",
            "<![CDATA[y]]>",
            "<!doctype html>",
            "<!-- y",
            "<a b",
        ),
        *(
            "<b\u3000onclick=y>",
            "<<none>>",
            "<T extends U<V>>",
            "<b=c>",
            "<input>",
            "<img>",
            "<b/c>",
        ),
        *("<a b", "<img>", "<b/c>", "<img alt=y>", "<input type=text>", "<INPUT NAME=y>"),
    ],
)
@each(
    "place",
    [
        *("{}", "x {} y", "- x {} y", "# x {} y", "> x {} y", "x | z\n-|-\n{} y | w", "*x* {} *y*"),
        *("<div>x {} y</div>", "<div>\n{} y\n</div>", "<div>\n\n{} y\n\n</div>", "<b>{} y</b>"),
        *(
            "<details><summary>{}</summary>\n\ny\n</details>",
            "<pre>\n{} y\n</pre>",
            "1. {}\n\n   y",
        ),
    ],
)
def test_what_is_no_html_of_authors_is_shown(html, place, written):
    shown = text_content(html(f"{place.format(written)}\n\nthe end"))
    assert written in shown
    assert shown.rstrip().endswith("the end")


def test_elements_nest_to_a_bound_and_the_tags_of_the_rest_are_text(html):
    rendered = html("<div>" * 300 + "a" + "</div>" * 300)
    assert rendered.count("<div>") == rendered.count("</div>") == MAX_DEPTH
    assert rendered.count("&lt;div&gt;a&lt;/div&gt;") == 1


@each(
    ("text", "shown"),
    [
        ("See https://b.org and x@b.org, www.b.org", "See https://b.org and x@b.org, www.b.org"),
        (
            "<b>https://b.org</b> **y** [x](https://b.org)",
            "<b>https://b.org</b> <strong>y</strong> x",
        ),
        ("a <https://b.org> <a href='/b'>c</a>", "a https://b.org c"),
    ],
)
def test_a_link_in_html_stays_one_link(html, text, shown):
    link = f'<a href="https://a.org" rel="{FOREIGN_REL}">'
    behind = "<a href='https://a.org'>d</a> <a href='https://a.org'>d</a>"
    assert html(f'<a href="https://a.org">{text}</a> {behind}') == (
        f"<p>{link}{shown}</a> {link}d</a> {link}d</a></p>"
    )


def test_the_line_ends_of_word_processors_break_lines(html):
    assert html("a\x0bb\x0cc") == "<p>a<br>\nb<br>\nc</p>"
    assert escape_to_html("a\x0bb\x0cc") == "<p>a<br>\nb<br>\nc</p>"
