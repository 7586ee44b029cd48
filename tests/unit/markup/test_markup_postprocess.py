"""Post numbers, links to other hosts, links to headings."""

import re
from collections.abc import Callable
from urllib.parse import quote

from forumsvc.markup.postprocess import postprocess
from forumsvc.markup.sanitizer import FOREIGN_REL, sanitize_author_html
from tests.cases import each
from tests.unit.markup.conftest import OWN_HOST

Html = Callable[[str], str]


def floor(number: int) -> str:
    return f'<a href="#floor-{number}" class="floor-reference">#{number}</a>'


@each("text", ["see #12", "#12", "(#12)", "#12.", "#12,", "看#12楼", "**#12**"])
def test_a_number_sign_before_a_number_links_to_that_reply(html, text):
    assert html(text).count(floor(12)) == 1


@each(
    "text",
    [
        *("#0", "#012", "#123456", "#12ab", "#12.5", "issue#12", "/#12", "##12", "`#12`"),
        *("    #12", "```\n#12\n```", "[#12](https://example.org)", "https://example.org/#12"),
        *("#1\ufe0f\u20e3", "#12\u20e3"),
        *('<b title="#12">x</b>', "&#35;&#12;"),
    ],
)
def test_other_number_signs_stay_as_they_are(html, text):
    assert "floor-reference" not in html("x\n\n" + text)


@each(
    "url",
    [
        *("https://other.example/", "http://other.example:80/x", "//other.example/"),
        *("https://forum.example.other.example", "https://forum.example@other.example/"),
        *("https://forum.example:8080/", "HTTPS://OTHER.example"),
        *("other.example", "other.example:80/x", "www.other.example?a", "例子.中国/x", "me.md/x"),
    ],
)
def test_links_to_other_hosts_are_marked(html, url):
    assert f'rel="{FOREIGN_REL}"' in html(f"[x]({url})")


@each(
    "url",
    [
        *("/\\other.example", "\\\\other.example", "/\t/other.example", " //other.example"),
        *("https:/\\other.example", "https:other.example", "https://[other.example"),
    ],
)
@each("own_host", [OWN_HOST, ""])
def test_links_that_only_browsers_take_to_other_hosts_are_marked(url, own_host):
    rendered = postprocess(sanitize_author_html(f'<a href="{url}">x</a>'), own_host)
    assert "href" not in rendered or f'rel="{FOREIGN_REL}"' in rendered


@each(
    "url",
    [
        *("/topics/1", "topics/1", "?page=2", "#floor-3", "https://forum.example/topics/1"),
        *("HTTPS://Forum.Example/x", "//forum.example/x", "mailto:a@login.org", "README.md#x"),
        *("page.html", "forum.example/x", "a@login.org", "v1.2", "./other.example", "a/b.org"),
    ],
)
def test_links_that_stay_here_are_not_marked(html, url):
    rendered = html(f'<a href="{url}" rel="tag">x</a>')
    assert "href" in rendered
    assert "rel" not in rendered


@each(
    ("url", "href"),
    [
        ("example.org", "https://example.org"),
        ("example.com:8080/x?a=b", "https://example.com:8080/x?a=b"),
        ("me@example.org", "mailto:me@example.org"),
        ("./example.org", "./example.org"),
        ("docs/setup.py", "docs/setup.py"),
        ("page.html?a=/b.org", "page.html?a=/b.org"),
    ],
)
@each("link", ["[x]({})", "[x]\n\n[x]: {}", '<a href="{}">x</a>'])
def test_a_link_without_its_scheme_gets_one_unless_it_is_a_path(html, link, url, href):
    if link.startswith("<"):
        url = url.replace(":8080", "")
        href = href.replace(":8080", "")
    assert f'<a href="{href}"' in html(link.format(url))


def test_a_heading_s_id_has_a_prefix_and_is_found_by_the_author_s_links(html):
    assert html("# Two words\n\n[up](#two-words) [out](#reply)") == (
        '<h1 id="user-content-two-words">Two words</h1>\n'
        '<p><a href="#user-content-two-words">up</a> <a href="#reply">out</a></p>'
    )


@each(
    ("headings", "ids"),
    [
        (["标题", "标题", "!"], ["标题", "标题-1", "heading"]),
        (["Usage", "Usage", "Usage 1", "usage"], ["usage", "usage-1", "usage-1-1", "usage-2"]),
        (["`my_function()` & co.", "C++ / Foo.bar"], ["my_function--co", "c--foobar"]),
        (["  Ünï-code क्षि  "], ["ünï-code-क्षि"]),
    ],
)
def test_headings_have_the_ids_that_tables_of_contents_of_github_lead_to(html, headings, ids):
    links = "".join(f"[x](#{name}) [x](#{quote(name.upper())})\n" for name in ids)
    rendered = html("\n\n".join(f"# {heading}" for heading in headings) + f"\n\n{links}")
    expected = [f"user-content-{name}" for name in ids]
    assert re.findall('id="([^"]*)"', rendered) == expected
    assert re.findall('href="#([^"]*)"', rendered) == [one for one in expected for _ in range(2)]


def test_ids_that_authors_write_get_the_prefix_or_go(html):
    assert html('<h2 id="login">x</h2>\n\n<p id="login">y</p>') == (
        '<h2 id="user-content-login">x</h2>\n<p>y</p>'
    )
