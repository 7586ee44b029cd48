"""Texts of words, brackets, punctuation and markup, and which of their words are not shown.

`python -m tests.unit.markup.shown_texts 100000` renders so many of them.
"""

import html
import random
import re
import sys
from pathlib import Path
from urllib.parse import unquote

import yaml

from forumsvc.markup import RenderedText
from forumsvc.markup.pipeline import Pipeline
from forumsvc.markup.text_content import text_content

_PARTS = yaml.safe_load(Path(__file__).with_name("shown_texts.yaml").read_text("utf-8"))
_ATTRIBUTE = re.compile(r'="([^"]*)"')
_IN_LINK = r"\]\([^)]*|\]: ?\n?[^\n]*"
_NOT_SHOWN = rf"{_IN_LINK}|(?:```|~~~)[ \t]*[!-~]*"
"""What may stand before a word that is not shown: a link's target, the language of code."""


def generated(rng: random.Random) -> tuple[str, list[str]]:
    """Return a text and its words, each of which is in it once."""
    words: list[str] = []

    def word(_: object) -> str:
        words.append(rng.choice(_PARTS["words"]).format(len(words)))
        return words[-1]

    pieces = (
        re.sub("{}", word, rng.choice(_PARTS["with words"]))
        if rng.random() < 0.6
        else rng.choice(_PARTS["marks"])
        for _ in range(rng.randint(1, 12))
    )
    return "".join(pieces), words


def hidden_words(pipeline: Pipeline, text: str, words: list[str]) -> list[str]:
    """Return the words that a reader does not see.

    Not counted are those of a link's target or title, of the description of an image, and the
    language of code.
    """
    rendered = RenderedText(tuple(pipeline.render(text, "forum.example"))).html
    shown = text_content(rendered)
    missing = [word for word in words if word not in shown]
    if not missing:
        return []
    attributes = unquote(html.unescape(" ".join(_ATTRIBUTE.findall(rendered)))).lower()
    return [
        word
        for word in missing
        if word not in attributes and not re.search(rf"(?:{_NOT_SHOWN}){word}", text)
    ]


def main(number: int) -> int:
    """Render generated texts; print those of which a word is not shown, and return their number."""
    pipeline = Pipeline()
    rng = random.Random(number)  # noqa: S311
    hiding = 0
    for _ in range(number):
        text, words = generated(rng)
        if hidden := hidden_words(pipeline, text, words):
            hiding += 1
            sys.stdout.write(f"{text!r} {hidden}\n")
    sys.stdout.write(f"{number} texts, {hiding} of which do not show a word\n")
    return hiding


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])) > 0)
