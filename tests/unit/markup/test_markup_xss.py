"""No text becomes script.

The browser tests run the same corpus in a browser; here the HTML is parsed by a parser that shares
no code with the sanitizer.
"""

import re
from collections.abc import Callable, Iterable
from html.parser import HTMLParser

import pytest

from forumsvc.markup import RenderedText
from forumsvc.markup.plain_text import escape_to_html
from tests.unit.markup import xss_corpus

INERT_TAGS = {
    *("a", "abbr", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code", "dd", "del"),
    *("details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "h1", "h2", "h3", "h4"),
    *("h5", "h6", "hr", "i", "img", "input", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q"),
    *("rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "summary"),
    *("sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var"),
    "wbr",
}
INERT_ATTRIBUTES = {
    *("align", "alt", "checked", "class", "colspan", "dir", "disabled", "height", "href", "id"),
    *("lang", "loading", "open", "rel", "rowspan", "src", "start", "title", "type", "value"),
    "width",
}
# A browser reads the scheme of an address so (WHATWG URL).
BLANKS = re.compile(r"[\t\n\r]")
C0_AND_SPACE = "".join(map(chr, range(0x21)))
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
INERT_SCHEMES = {"http", "https", "mailto"}
Html = Callable[[str], str]


class Finder(HTMLParser):
    """Collects what a browser could run, and what could mislead it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag not in INERT_TAGS:
            self.found.append(f"<{tag}>")
        self.found += [name for name in values if name not in INERT_ATTRIBUTES]
        if tag == "input" and (values.get("type") != "checkbox" or "disabled" not in values):
            self.found.append("an input that takes input")
        if "id" in values and not values["id"].startswith("user-content-"):
            self.found.append(f"id={values['id']}")
        for name in values.keys() & {"href", "src"}:
            url = BLANKS.sub("", values[name]).lstrip(C0_AND_SPACE)
            scheme = SCHEME.match(url)
            if scheme and scheme[1].lower() not in INERT_SCHEMES:
                self.found.append(url)

    def handle_comment(self, data: str) -> None:
        self.found.append(f"<!--{data}")

    def handle_decl(self, decl: str) -> None:
        self.found.append(f"<!{decl}")

    def handle_pi(self, data: str) -> None:
        self.found.append(f"<?{data}")


def dangers(html: str) -> list[str]:
    finder = Finder()
    finder.feed(html)
    finder.close()
    return finder.found


def survivors(render: Html, texts: Iterable[str]) -> dict[str, list[str]]:
    return {text: found for text in texts if (found := dangers(render(text)))}


@pytest.mark.parametrize("part", range(8))
def test_no_text_of_the_corpus_becomes_script(html, part):
    assert survivors(html, xss_corpus.texts()[part::8]) == {}


def test_no_published_payload_becomes_script(html):
    assert survivors(html, xss_corpus.published()) == {}


def test_the_corpus_is_found_dangerous_where_nothing_sanitizes_it():
    payloads = xss_corpus.payloads()
    raw = [payload for payload in payloads if payload.startswith("<")]
    assert len(survivors(lambda text: text, raw)) > 0.8 * len(raw)


def test_no_text_of_the_corpus_becomes_script_where_it_falls_back():
    assert survivors(escape_to_html, xss_corpus.texts()) == {}


def test_no_login_becomes_script():
    logins = [text.lstrip("@") for text in xss_corpus.payloads() if "\x00" not in text]

    def linked(login: str) -> str:
        return RenderedText(("<p>", "bob", "</p>")).to_html(
            {"bob": login}, "https://forum.example/{login}"
        )

    assert survivors(linked, logins) == {}


def test_placeholders_of_the_markdown_library_cannot_be_forged(pipeline):
    forged = "*a* <b>b</b>\n\n\x02wzxhzdk:0\x03 \x02klzzwxh:0000\x03 \x01wzxhzdk:0\x04"
    assert pipeline.render(forged, "") == [
        "<p><em>a</em> <b>b</b></p>\n<p>wzxhzdk:0 klzzwxh:0000 wzxhzdk:0</p>"
    ]
