"""Markdown as authors of forums write it."""

import re
from collections.abc import Callable

from forumsvc.markup.html_tags import MAX_DEPTH
from forumsvc.markup.plain_text import escape_to_html
from forumsvc.markup.sanitizer import FOREIGN_REL
from forumsvc.markup.syntax import code_highlighting
from forumsvc.markup.syntax.lists import _MAX_DEPTH
from forumsvc.markup.text_content import text_content
from tests.cases import each

Html = Callable[[str], str]


def flat(html: str) -> str:
    return html.replace("\n", "")


def test_line_ends_break_lines_in_paragraphs_items_and_quotes(html):
    assert html("a\nb") == "<p>a<br>\nb</p>"
    assert "a<br>\nb" in html("- a\n  b")
    assert "a<br>\nb" in html("> a\n> b")


@each(
    ("text", "expected"),
    [
        ("a\n2. b", "<p>a<br>2. b</p>"),
        ("- a\n  - b\n    - c", "<ul><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li></ul>"),
        ("- a\nb", "<ul><li>a<br>b</li></ul>"),
        ("- a\n# b", '<ul><li>a</li></ul><h1 id="user-content-b">b</h1>'),
        ("- <b>a</b>\n  <div>b</div>", "<ul><li><b>a</b><div>b</div></li></ul>"),
    ],
)
def test_lists_are_read_as_commonmark_does_with_our_breaks_and_ids(html, text, expected):
    assert flat(html(text)) == expected


def test_lists_nest_to_a_bound_and_the_rest_is_text(html):
    assert html("- " * (_MAX_DEPTH + 5) + "a").count("<ul>") == _MAX_DEPTH


TABLE = "<table><thead><tr><th>x</th></tr></thead></table>"
CODE = '<pre class="highlight"><code>x</code></pre>'


@each(
    ("text", "expected"),
    [
        ("a\n```\nx\n```\nb", f"<p>a</p>{CODE}<p>b</p>"),
        ("    x\n```\nx\n```", f"{CODE}{CODE}"),
        ("- ```\n  x\n\na", f"<ul><li>{CODE}</li></ul><p>a</p>"),
        ("1. a\n   ```\n   x\n2. b", f"<ol><li>a{CODE}</li><li>b</li></ol>"),
        ("- a\n  ```\nx\n  ```", f"<ul><li>a{CODE}</li></ul>"),
        ("    x\n> ```\n> x\n> ```", f"{CODE}<blockquote>{CODE}</blockquote>"),
        ("- a\n  ```\n  x\n  ```\n- b", f"<ul><li>a{CODE}</li><li>b</li></ul>"),
        ("> ```\n> x\n> ```", f"<blockquote>{CODE}</blockquote>"),
    ],
)
def test_fences_are_read_wherever_authors_put_them(html, text, expected):
    assert flat(html(text)) == expected


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
        ("a\nb\n---", '<h2 id="user-content-a-b">a<br>b</h2>'),
        ("<irc://x.example/y>", "<p>&lt;irc://x.example/y&gt;</p>"),
        ("use <script> so", "<p>use &lt;script&gt; so</p>"),
        ("a <!-- b\n\nc", "<p>a &lt;!-- b</p><p>c</p>"),
        ("<div>\n*a*\n\n*b*\n</div>", "<div>*a*<p><em>b</em></p></div>"),
        ("这是**粗体**文字", "<p>这是<strong>粗体</strong>文字</p>"),
        ("a\x00b\x01c", "<p>a\ufffdbc</p>"),
        ("\ufeff# a", '<h1 id="user-content-a">a</h1>'),
        (" \n\n ", ""),
        ("\u3000\u3000一\n\u3000\u3000二", "<p>\u3000\u3000一<br>\u3000\u3000二</p>"),
        ("> \xa0a", "<blockquote><p>&nbsp;a</p></blockquote>"),
        ("- \u2003a", "<ul><li>\u2003a</li></ul>"),
        ("\u3000a\n===", '<h1 id="user-content-a">\u3000a</h1>'),
    ],
)
def test_small_things_are_read_as_authors_expect(html, text, expected):
    assert flat(html(text)) == expected


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


@each("text", ["他_（强调）_吧", "中文_中文_中文", "snake_case_name"])
def test_underscores_within_words_of_any_script_stay_text(html, text):
    assert html(text) == f"<p>{text}</p>"


@each(
    ("text", "expected"),
    [
        ("(:+1:) :smile:, 你好:smile:你好", "(👍) 😄, 你好😄你好"),
        (":smile::+1: **:tada:** _:tada:_", "😄👍 <strong>🎉</strong> <em>🎉</em>"),
        (":none::tada: `x`:tada:", ":none:🎉 <code>x</code>🎉"),
    ],
)
def test_short_codes_between_blanks_and_punctuation_become_emoji(html, text, expected):
    assert html(text) == f"<p>{expected}</p>"


@each(
    "text",
    [
        *("root:x:0:0", "user:100:name", "fe80::1234:5678", "::100:1", "00:cd:ab:de:12:34"),
        *("10:100:30", "a:b:c", "std::map::end: привет:smile:", "x:smile:"),
    ],
)
def test_short_codes_within_words_and_addresses_stay_text(html, text):
    assert html(text) == f"<p>{text}</p>"


@each(
    ("text", "expected"),
    [
        ("arr[0](x, y) f[i](a b)", "arr[0](x, y) f[i](a b)"),
        ("[a](<b c>)", '<a href="b c">a</a>'),
        ("[![a *b*](c)](d)", '<a href="d"><img alt="a b" src="c" loading="lazy"></a>'),
        ("[a [b](c)](d)", '[a <a href="c">b</a>](d)'),
        ("[a `]` b](c)", '<a href="c">a <code>]</code> b</a>'),
        ("[a\n\n[a]: b", "[a</p>\n<p>[a]: b"),
        ("[A  b]\n\n[a B]: c\n[a b]: d", '<a href="c">A  b</a></p>\n<p>[a b]: d'),
        ("`` a` `` \\`b`", "<code>a`</code> `b`"),
        ("\\&lt;", "&amp;lt;"),
    ],
)
def test_brackets_are_links_only_as_commonmark_has_it(html, text, expected):
    assert html(text) == f"<p>{expected}</p>"


QUOTED_CODE = f"<blockquote>{CODE}</blockquote>"


@each(
    ("text", "expected"),
    [
        ("> ```\n> x\n> ```\na", f"{QUOTED_CODE}<p>a</p>"),
        ("> ```\n> x\na", f"{QUOTED_CODE}<p>a</p>"),
        ("> ```\n> x", QUOTED_CODE),
        ("> > ````\n> > x\n> > ````\n> a", f"<blockquote>{QUOTED_CODE}<p>a</p></blockquote>"),
        ("> # \na", "<blockquote><h1></h1></blockquote><p>a</p>"),
        ("> ---\na\n---", '<blockquote><hr></blockquote><h2 id="user-content-a">a</h2>'),
        ("> ---\na", "<blockquote><hr></blockquote><p>a</p>"),
        ("> x\n>\na", "<blockquote><p>x</p></blockquote><p>a</p>"),
        ("> x\n2. a", '<blockquote><p>x</p></blockquote><ol start="2"><li>a</li></ol>'),
        ("- x\n===", "<ul><li>x<br>===</li></ul>"),
        ("> x\na\n===", "<blockquote><p>x<br>a<br>===</p></blockquote>"),
        ("> - x\na", "<blockquote><ul><li>x<br>a</li></ul></blockquote>"),
        ("> |x|\n> |-|\na", f"<blockquote>{TABLE}</blockquote><p>a</p>"),
        (">     x\na", f"{QUOTED_CODE}<p>a</p>"),
    ],
)
def test_a_line_behind_a_quote_is_quoted_only_if_it_continues_a_paragraph(html, text, expected):
    assert flat(html(text)).replace(' id="user-content-heading"', "") == expected


@each(
    ("text", "expected"),
    [
        ("a\n|x|\n|-|", f"<p>a</p>{TABLE}"),
        ("# \n|x|\n|-|\n> a", f"<h1></h1>{TABLE}<blockquote><p>a</p></blockquote>"),
        ("|x|\n|-|\n---", f"{TABLE}<hr>"),
        ("a|b\n|-|", "<p>a|b<br>|-|</p>"),
    ],
)
def test_a_table_interrupts_a_paragraph_and_another_block_ends_it(html, text, expected):
    assert flat(html(text)).replace(' id="user-content-heading"', "") == expected


def addresses(html: str) -> list[str]:
    return re.findall(r'<a href="([^"]*)"', html)


@each(
    ("text", "linked"),
    [
        ("see https://x.org/a.", ["https://x.org/a"]),
        ("(https://x.org/a_(b))", ["https://x.org/a_(b)"]),
        ("www.x.org, and WWW.Y.org/z?", ["http://www.x.org", "http://WWW.Y.org/z"]),
        ("链接\uff1ahttps://x.org/a\uff0c你好。", ["https://x.org/a"]),
        ("看https://x.org/a 你", ["https://x.org/a"]),
        ("**https://x.org/a**", ["https://x.org/a"]),
        ("https://x.org/?a=1&b=2&amp;", ["https://x.org/?a=1&amp;b=2"]),
        ("https://x.org/@bob#12", ["https://x.org/@bob#12"]),
        ("me@x.org", ["mailto:me@x.org"]),
        ("http:// www. www.x ahttps://x.org foo.www.x.org `https://x.org`", []),
        ("[https://x.org](/y)", ["/y"]),
        ("看“https://x.org/x”吧，『https://x.org』", ["https://x.org/x", "https://x.org"]),
        ("https://x.org这个网站 https://x.org에서", ["https://x.org", "https://x.org"]),
        (
            "http://localhost:3000这个 https://x.org:80/a",
            ["http://localhost:3000", "https://x.org:80/a"],
        ),
        (
            "https://例子.example/路径 https://www.t恤.com",
            ["https://例子.example/路径", "https://www.t恤.com"],
        ),
        (
            "https://x.org/wiki/北京。https://x.org/a——好",
            ["https://x.org/wiki/北京", "https://x.org/a"],
        ),
        ("https://x.org…… https://x.org/a👍", ["https://x.org", "https://x.org/a"]),
        ("(https://x.org/a)吧 https://x.org/a,好", ["https://x.org/a", "https://x.org/a"]),
        ("https://x.org/a_(b)吧", ["https://x.org/a_(b)吧"]),
        ("'https://x.org/a'吧 \"https://x.org/b\"吧", ["https://x.org/a", "https://x.org/b"]),
        ("**https://x.org/a**吧 _https://x.org/b_", ["https://x.org/a", "https://x.org/b"]),
        (
            "[see https://x.org/a] [1]: https://x.org/b[1]",
            ["https://x.org/a", "https://x.org/b[1]"],
        ),
        ("admin@x.org联系 邮箱me@x.org。", ["mailto:admin@x.org", "mailto:me@x.org"]),
        (
            "https://x.org/a\\_b?c=@ann https://x.org/`c`",
            ["https://x.org/a_b?c=@ann", "https://x.org/"],
        ),
        ("https://x.org/<b>d</b>", ["https://x.org/"]),
        (
            "https://x.org/@you_ https://x.org/a_b_. https://x.org/__init__",
            ["https://x.org/@you_", "https://x.org/a_b_", "https://x.org/__init__"],
        ),
        (
            "_https://x.org/y_ **_see https://x.org/z_** __https://x.org/__",
            ["https://x.org/y", "https://x.org/z", "https://x.org/"],
        ),
        ("_a_ a_b https://x.org/y_, _ https://x.org/z_", ["https://x.org/y_", "https://x.org/z_"]),
        ("a@x.org_ éa@x.org x_www.x.org", []),
    ],
)
def test_bare_addresses_become_links_without_their_sentence(html, text, linked):
    assert addresses(html(text)) == linked


@each("text", ["a\r\nb", "a\rb", "a\nb"])
def test_every_kind_of_line_end_is_one(html, text):
    assert html(text) == "<p>a<br>\nb</p>"


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


@each(
    ("text", "expected"),
    [
        ("<none>\n*a*\n- b", "<p>&lt;none&gt;<br><em>a</em></p><ul><li>b</li></ul>"),
        ("<!-- a\n\n*b* -->\nc", "<p>&lt;!-- a<br><br>*b* --&gt;</p><p>c</p>"),
        ("vector<i> *a*", "<p>vector&lt;i&gt; <em>a</em></p>"),
        ("a<b and c>d", "<p>a&lt;b and c&gt;d</p>"),
        (
            "List<S> <i>a</i>, a<code> `b`",
            "<p>List&lt;S&gt; <i>a</i>, a&lt;code&gt; <code>b</code></p>",
        ),
        ("[12:30]: hello", "<p>[12:30]: hello</p>"),
        ("a[^1]\n\n[^1]: Smith2020", "<p>a[^1]</p><p>[^1]: Smith2020</p>"),
        ("a[b][^1] [^1](/c)\n\n[^1]: d", '<p>a[b][^1] <a href="/c">^1</a></p><p>[^1]: d</p>'),
        ("Use </b>, </details>", "<p>Use &lt;/b&gt;, &lt;/details&gt;</p>"),
        ("*x* </p> y </p> z", "<p><em>x</em> &lt;/p&gt; y &lt;/p&gt; z</p>"),
        ("- x </ul> </li> y", "<ul><li>x &lt;/ul&gt; &lt;/li&gt; y</li></ul>"),
        ("# x </h1> y", '<h1 id="user-content-x-y">x &lt;/h1&gt; y</h1>'),
        ("</p></p>", "&lt;/p&gt;&lt;/p&gt;"),
        ("x\n\n</div>", "<p>x</p>&lt;/div&gt;"),
        ("[call](tel:+44123)", "<p>[call](tel:+44123)</p>"),
        ("ftp://e.org/x [*x*](ftp://e.org)", "<p>ftp://e.org/x [<em>x</em>](ftp://e.org)</p>"),
        ("![x](data:image/png;base64,AA)", "<p>![x](data:image/png;base64,AA)</p>"),
        ("![x](blob:a 'c')", "<p>![x](blob:a 'c')</p>"),
        ("[x]\n\n[x]: javascript:a", "<p>[x]</p><p>[x]: javascript:a</p>"),
        ("[[x](javascript:a)](/b)", '<p><a href="/b">[x](javascript:a)</a></p>'),
        ("[a]: /b *c*", "<p>[a]: /b <em>c</em></p>"),
        (
            "[a]: https://b.org",
            f'<p>[a]: <a href="https://b.org" rel="{FOREIGN_REL}">https://b.org</a></p>',
        ),
        ("[a]: /b\n[a]: /c\n\n[a]", '<p>[a]: /c</p><p><a href="/b">a</a></p>'),
        ("- [a]: /b\n  c [a]", '<ul><li>c <a href="/b">a</a></li></ul>'),
        ("-     a\nb", f"<ul><li>{CODE.replace('x', 'a')}<p>b</p></li></ul>"),
        ("```echo it all\nx\n```", f"{CODE.replace('x', 'echo it allx')}"),
        ("```代码\nx\n```", f"{CODE.replace('x', '代码x')}"),
        (
            "a|b\n-|-\nc|d|e",
            "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
            "<tbody><tr><td>c</td><td>d</td><td>e</td></tr></tbody></table>",
        ),
    ],
)
def test_what_has_the_form_of_markup_is_shown_where_it_is_none(html, text, expected):
    assert flat(html(text)) == expected


@each(
    ("text", "expected"),
    [
        ('<img alt="a > b" src="c">', '<p><img alt="a &gt; b" src="c" loading="lazy"></p>'),
        ("<INPUT disabled type='checkbox'>", '<p><input type="checkbox" disabled=""></p>'),
        ("a<BR/>b", "<p>a<br>b</p>"),
        ("<p>a<p>b</p></p>", "<p>a</p><p>b</p>"),
        ("<p>\n\na\n\n</p>", "<p></p><p>a</p>"),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<b>a <i>b</b></i>", "<p><b>a <i>b</i></b></p>"),
        ("<details>\n\na</details>", "<details><p>a</p></details>"),
        ("H<sub>2</sub>O, <b>a", "<p>H<sub>2</sub>O, <b>a</b></p>"),
        ("<kbd\ttitle = 'x'>a</kbd >", '<p><kbd title="x">a</kbd></p>'),
    ],
)
def test_html_of_authors_is_let_through_however_it_is_written(html, text, expected):
    assert flat(html(text)) == expected


def test_elements_nest_to_a_bound_and_the_tags_of_the_rest_are_text(html):
    rendered = html("<div>" * 300 + "a" + "</div>" * 300)
    assert rendered.count("<div>") == rendered.count("</div>") == MAX_DEPTH
    assert rendered.count("&lt;div&gt;a&lt;/div&gt;") == 1


@each(
    ("text", "expected"),
    [
        ("&copyright; &notit; &ltfoo;", "&amp;copyright; &amp;notit; &amp;ltfoo;"),
        ("a.php?a=1&copy=2&lt=3 &amp", "a.php?a=1&amp;copy=2&amp;lt=3 &amp;amp"),
        ("&copy; &fjlig; &#228; &#xE4;", "© fj ä ä"),
        ("&#12345678; &#x1234567;", "&amp;#12345678; &amp;#x1234567;"),
        ("<b>&regular;</b>", "<b>&amp;regular;</b>"),
        ("http://a.org/?b&notit;c", "{link}"),
    ],
)
def test_only_the_names_of_characters_are_read_as_such(html, text, expected):
    url = "http://a.org/?b&amp;notit;c"
    link = f'<a href="{url}" rel="{FOREIGN_REL}">{url}</a>'
    assert html(text) == f"<p>{expected.format(link=link)}</p>"


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
