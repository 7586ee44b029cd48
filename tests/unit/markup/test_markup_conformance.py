"""Conformance to CommonMark and to GitHub Flavored Markdown.

`conformance.json` records the number of every failing example. It may only shrink: a failing
example that is not recorded is a regression; a recorded one that passes must be removed.
`python -m tests.unit.markup.test_markup_conformance` writes the file.
"""

import json
import re
from pathlib import Path
from urllib.parse import unquote

from forumsvc.markup.pipeline import Pipeline
from forumsvc.markup.postprocess import postprocess
from forumsvc.markup.sanitizer import sanitize, sanitize_author_html
from tests.unit.markup import spec_examples
from tests.unit.markup.spec_examples import Example

RECORD = Path(__file__).with_name("conformance.json")

_OURS = re.compile(r' (?:class|id|rel|loading)="[^"]*"')
_HIGHLIGHTING = re.compile(r"</?span>")
_START_TAG = re.compile(r'<([a-z0-9]+)((?: [a-z]+="[^"]*")+)>')
_ATTRIBUTE = re.compile(r' [a-z]+="[^"]*"')
_CODE = re.compile(r"(<pre>.*?</pre>)", re.S)
_SHOWN_AS_TEXT = re.compile(
    r"^ *(<(script|style|textarea)\b.*?</\2>[^\n]*|<!--.*?-->[^\n]*|<\?.*?\?>|<![A-Z][^>]*>)$",
    re.S | re.M,
)
"""Blocks of HTML that authors may not write: a paragraph here."""
_UNUSED_DEFINITION = re.compile(r"<p>\[[^]]+]: [^ <]+(?: \"[^<]*\")?</p>")
"""A definition that no link uses: text here."""
_NOT_LINKED = re.compile(r"<a>(.*?)</a>|&lt;([a-z][a-z0-9+.-]*:[^ &]*)&gt;", re.I)
"""A link of a scheme that is not allowed: text here."""
_BLOCK = "blockquote|div|h[1-6]|hr|li|ol|p|pre|table|tbody|td|th|thead|tr|ul"
_AROUND_BLOCK = re.compile(rf"\s*(</?(?:{_BLOCK})(?: [^>]*)?>)\s*")


def meaning(html: str) -> str:
    """Return sanitized HTML without intended or invisible differences.

    These are: line breaks at line ends; the classes of highlighted code; the ids of headings; the
    forum's attributes of links and images; percent-encoding of URLs.
    """
    html = _HIGHLIGHTING.sub("", _OURS.sub("", html.replace("<br>\n", "\n")))
    html = _START_TAG.sub(
        lambda tag: f"<{tag[1]}{unquote(''.join(sorted(_ATTRIBUTE.findall(tag[2]))))}>", html
    )
    pieces = _CODE.split(html)
    pieces[::2] = [_AROUND_BLOCK.sub(r"\1", " ".join(piece.split())) for piece in pieces[::2]]
    pieces[1::2] = [piece.replace("\n</code>", "</code>") for piece in pieces[1::2]]
    return "".join(pieces)


def expected(example: Example) -> str:
    html = _SHOWN_AS_TEXT.sub(r"<p>\1</p>", example.html)
    html = sanitize_author_html(html).replace("<p></p>", "")
    html = meaning(sanitize(postprocess(html, "forum.example")))
    return _without_text_of_ours(html)


def rendered(pipeline: Pipeline, example: Example) -> str:
    parts = pipeline.render(example.markdown, "forum.example")
    parts[1::2] = [f"@{login}" for login in parts[1::2]]
    return _without_text_of_ours(meaning("".join(parts)))


def _without_text_of_ours(html: str) -> str:
    return _UNUSED_DEFINITION.sub("", _NOT_LINKED.sub(r"\1\2", html))


def failing(pipeline: Pipeline, examples: list[Example]) -> list[int]:
    return [
        example.number for example in examples if rendered(pipeline, example) != expected(example)
    ]


def measured() -> dict[str, dict[str, int | list[int]]]:
    """Return for each specification the number of examples and of passing ones, and the failing."""
    pipeline = Pipeline()
    record: dict[str, dict[str, int | list[int]]] = {}
    for name, examples in (
        ("CommonMark 0.31.2", spec_examples.commonmark()),
        ("GFM 0.29 extensions", spec_examples.gfm_extensions()),
    ):
        fails = failing(pipeline, examples)
        record[name] = {
            "examples": len(examples),
            "passing": len(examples) - len(fails),
            "failing": fails,
        }
    return record


def test_no_fewer_examples_of_the_specifications_pass_than_recorded():
    assert measured() == json.loads(RECORD.read_text())


if __name__ == "__main__":
    RECORD.write_text(json.dumps(measured()) + "\n")
