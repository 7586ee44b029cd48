"""The HTML that authors may write; every other `<` is text.

A parser of HTML hides what it takes for an unknown element, of SVG with all that follows. So before
the sanitizer reads a text, only tags of `TAGS` are left in it: `<none>`, `<script>`, `<text>` and
comments are shown as they were written.
"""

import re

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

# What HTML takes for a space. `\s` would also match U+3000, which belongs to a tag's name there.
SPACE = r"[ \t\n\r\f]"
_ATTRIBUTE = (
    rf"(?:{SPACE}++[A-Za-z_:][A-Za-z0-9_.:-]*+"
    rf"(?:{SPACE}*+={SPACE}*+(?:[^ \t\n\r\f\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?+)"
)
# `ffmpeg -i <input>` is a text: of inputs only check boxes are let through, of images those with a
# source.
_NAMES = (
    "|".join(sorted(TAGS - {"img", "input"}))
    + rf"|img(?=[^<]*{SPACE}src{SPACE}*=)|input(?=[^<]*{SPACE}type=[\"']?checkbox)"
)
_AFTER_BRACKET = (
    rf"(?i:(?:{_NAMES}){_ATTRIBUTE}*+{SPACE}*+/?>|/(?:{'|'.join(sorted(TAGS))}){SPACE}*+>)"
)

TAG = f"<{_AFTER_BRACKET}"
"""The pattern of a tag that authors may write, in the grammar of CommonMark 0.31.2 §6.6.

HTML's tokenizer ends such a tag at the same character.
"""
_NO_TAG = re.compile(f"<(?!{_AFTER_BRACKET})")


def escape_other_tags(html: str) -> str:
    """Return HTML in which every `<` that begins no tag of `TAGS` is escaped."""
    return _NO_TAG.sub("&lt;", html)
