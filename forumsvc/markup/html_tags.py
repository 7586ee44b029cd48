"""The HTML that authors may write; every other `<` is text.

A parser of HTML hides what it takes for an unknown element, of SVG with all that follows. So before
the sanitizer reads a text, only tags of `TAGS` are left in it: `<none>`, `<script>`, `<text>` and
comments are shown as they were written.
"""

import re
from collections.abc import Iterator
from html.entities import html5
from itertools import chain, groupby
from operator import itemgetter

ID_PREFIX = "user-content-"
"""The prefix of every id in a text, so that none equals an id of the surrounding page."""
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
TEXT_TAGS = {
    *("a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "del", "dfn", "em", "i", "img", "ins"),
    *("kbd", "mark", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong"),
    *("input", "sub", "sup", "time", "tt", "u", "var", "wbr"),
}
BLOCK_TAGS = HEADINGS | {
    *("blockquote", "caption", "dd", "details", "div", "dl", "dt", "figcaption", "figure", "hr"),
    *("li", "ol", "p", "pre", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr"),
    "ul",
}
TAGS = TEXT_TAGS | BLOCK_TAGS

MAX_DEPTH = 200
"""Of elements in elements; browsers allow 512. A parser takes the square of it."""


def _any_of(names: set[str]) -> str:
    """Return a pattern of names, by their first letter: `re` tries one after another."""
    letters = groupby(sorted(names), itemgetter(0))
    tails = ((letter, "|".join(name[1:] for name in group)) for letter, group in letters)
    return "|".join(f"{letter}(?:{tail})" for letter, tail in tails)


# What HTML takes for a space. `\s` would also match U+3000, which belongs to a tag's name there.
SPACE = r"[ \t\n\r\f]"
_ATTRIBUTE = (
    rf"(?:{SPACE}++[A-Za-z_:][A-Za-z0-9_.:-]*+"
    rf"(?:{SPACE}*+={SPACE}*+(?:[^ \t\n\r\f\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?+)"
)
_MADE_OF_MARKDOWN = HEADINGS | {
    *("blockquote", "li", "ol", "p", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
_VOID = {"br", "hr", "img", "input", "wbr"}
# `ffmpeg -i <input>` is a text: of inputs only check boxes are let through, of images those with a
# source.
_START_TAG = (
    "(?:"
    + _any_of(TAGS - {"img", "input"})
    + rf"|img(?=[^<]*{SPACE}src{SPACE}*=)|input(?=[^<]*{SPACE}type=[\"']?checkbox)"
    + rf"){_ATTRIBUTE}*+{SPACE}*+/?>"
)
_END_TAG = rf"/(?:{_any_of(TAGS)}){SPACE}*+>"

TAG = f"<(?i:{_START_TAG}|{_END_TAG})"
"""The pattern of a tag that authors may write, in the grammar of CommonMark 0.31.2 §6.6.

HTML's tokenizer ends such a tag at the same character.
"""
_NO_TAG = re.compile(f"<(?!(?i:{_START_TAG}|{_END_TAG}))")
_REFERENCE = re.compile("&(?:#[0-9]{8,};|#[xX][0-9A-Fa-f]{7,};|(?P<name>[A-Za-z][A-Za-z0-9]*+;))")
_BEHIND_WORD = re.compile(rf"<(?<=[^\W_]<)(?i:{_any_of(TEXT_TAGS - _VOID)})\b")
_ANY_TAG = re.compile(r"<(/?)([A-Za-z0-9]++)(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+>")


def escape_unknown_references(html: str) -> str:
    """Return HTML in which only what is a character reference looks like one.

    A parser of HTML takes `&notit;` for `&not` and a text, CommonMark 0.31.2 §2.5 for text.
    """
    return _REFERENCE.sub(
        lambda match: match[0] if match["name"] in html5 else f"&amp;{match[0][1:]}", html
    )


def escape_other_tags(html: str) -> str:
    """Return HTML in which every `<` is escaped that begins no tag of `TAGS`.

    So are start tags right behind a word that are never closed, as in `vector<i>` and
    `a<b and c>d`, the tags of elements that are nested too deep, and end tags without a start. A
    link in a link loses its tags, for a parser would end the outer one there.
    """
    html = _NO_TAG.sub("&lt;", html)
    changes = {at: (at + 1, "&lt;") for at in _unmatched(html)}
    changes |= {begin: (end, "") for begin, end in _links_in_links(html)}
    pieces: list[str] = []
    done = 0
    for at, (end, new) in sorted(changes.items()):
        pieces += [html[done:at], new]
        done = end
    return "".join([*pieces, html[done:]])


def _links_in_links(html: str) -> Iterator[tuple[int, int]]:
    """Yield where the tags stand of links within another one."""
    links: list[tuple[re.Match[str], re.Match[str]]] = []
    starts: list[re.Match[str]] = []
    for tag in _ANY_TAG.finditer(html):
        if tag[2] not in ("a", "A"):
            continue
        if not tag[1]:
            starts.append(tag)
        elif starts:
            links.append((starts.pop(), tag))
    outer_end = 0
    for start, end in sorted(links, key=lambda link: link[0].start()):
        if end.end() <= outer_end:
            yield from (start.span(), end.span())
        else:
            outer_end = end.start()


def _unmatched(html: str) -> list[int]:
    """Return where the tags begin that are to be text, in order."""
    open_at: dict[str, list[int]] = {}
    last_end: dict[str, int] = {}
    too_deep: set[int] = set()
    text: list[int] = []
    depth = 0
    for tag in _ANY_TAG.finditer(html):
        name, start = tag[2].lower(), tag.start()
        if name in _VOID:
            continue
        starts = open_at.setdefault(name, [])
        if not tag[1]:
            starts.append(start)
            depth += 1
            if depth > MAX_DEPTH:
                too_deep.add(start)
            continue
        if starts:
            depth -= 1
            if starts.pop() in too_deep:
                text.append(start)
            last_end[name] = start
        elif name in _MADE_OF_MARKDOWN and name in last_end:
            # The end of a Markdown paragraph is surplus where its author wrote `</p>` within it.
            text.append(last_end[name])
            last_end[name] = start
        else:
            text.append(start)
    behind_word = {item.start() for item in _BEHIND_WORD.finditer(html)}
    unclosed = behind_word.intersection(chain.from_iterable(open_at.values()))
    return sorted({*text, *too_deep, *unclosed})
