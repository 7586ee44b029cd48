"""Texts of words, blanks and punctuation that are plain, or that one piece keeps from being so.

`python -m tests.unit.markup.plain_texts 1000000` compares so many of them with the pipeline.
"""

import random
import sys
from pathlib import Path

import yaml

from forumsvc.markup.pipeline import Pipeline
from forumsvc.markup.plain_paragraphs import render_plain

_PIECES = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
_NOT_PLAIN = _PIECES["not plain"]
_WEIGHTS = {"words": 50, "digits": 8, "punctuation": 16, "spaces": 30, "mentions": 3}


def generated(rng: random.Random) -> str:
    """Return a text; about half of them have no piece of `not plain`."""
    pieces: list[str] = []
    for kind in rng.choices([*_WEIGHTS], [*_WEIGHTS.values()], k=rng.randint(1, 14)):
        pieces.append(rng.choice(_PIECES[kind]))
        if kind == "words" and rng.random() < 0.6:
            pieces.append(" ")
    if rng.random() < 0.5:
        pieces.insert(rng.randint(0, len(pieces)), rng.choice(_NOT_PLAIN))
    if rng.random() < 0.1:
        pieces.insert(rng.randint(0, len(pieces)), chr(rng.randrange(0x110000)))
    return "".join(pieces)


def compare(pipeline: Pipeline, number: int, seed: int = 0) -> tuple[int, list[str]]:
    """Return how many of so many texts are plain, and those that the pipeline renders otherwise."""
    rng = random.Random(seed)  # noqa: S311
    accepted = 0
    different: list[str] = []
    for _ in range(number):
        text = generated(rng)
        segments = render_plain(text)
        if segments is not None:
            accepted += 1
            if pipeline.render(text, "forum.example") != segments:
                different.append(text)
    return accepted, different


def main(number: int) -> int:
    """Print how many texts are plain, and which are rendered otherwise; return their number."""
    accepted, different = compare(Pipeline(), number, seed=number)
    sys.stdout.write(f"{number} texts, {accepted} of which are plain\n")
    sys.stdout.writelines(f"{text!r}\n" for text in different[:50])
    return len(different)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])) > 0)
