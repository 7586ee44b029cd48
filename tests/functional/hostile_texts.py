"""Texts of somebody who means harm: odd characters, as many as a post may have."""

import time
from collections.abc import Callable

from webtest import TestResponse

SIZE = 65_536
RATIO = 20
"""How many times the processor time of an ordinary text a hostile one may take."""
FLOOR = 0.005
"""Seconds of processor time that are never too many: what a machine does beside may be as much."""
_SENTENCE = "Boats with a harmless word in them, and a comma. "
_MARKS = "a" + "\u0316\u0301" * (SIZE // 2)
TEXTS = {
    "combining marks out of order": _MARKS[:SIZE],
    "invisible characters": "a" + "\u200b\u2060\u00ad\ufeff\U000e0041" * 10_000,
    "a long character reference": f"&#{'9' * 5_000}; &#x{'f' * 5_000};",
    "ligatures": "\ufdfa" * SIZE,
    "unpaired bidi marks": "\u202e\u2067a\u202c\u202d\u2069\u2066" * 10_000,
    "a lone bidi mark": "\u202ea",
}


def ordinary(length: int) -> str:
    """Return an ordinary text of a length."""
    return (_SENTENCE * (length // len(_SENTENCE) + 1))[:length]


def faults(name: str, send: Callable[[str], TestResponse]) -> list[str]:
    """Send each text and an ordinary one of its length, and return in words what was wrong.

    name: what the texts are sent as; send: sends a text, and returns the answer.
    """
    found = []
    for kind, text in TEXTS.items():
        usual, _ = _timed(send, ordinary(len(text)))
        spent, status = _timed(send, text)
        if status >= 500:
            found.append(f"{name}, {kind}: {status}")
        if spent > RATIO * max(usual, FLOOR):
            # Once more: a cache that was filled or a collection of garbage is not the text's.
            usual, spent = _timed(send, ordinary(len(text)))[0], _timed(send, text)[0]
        if spent > RATIO * max(usual, FLOOR):
            found.append(f"{name}, {kind}: {spent / max(usual, FLOOR):.0f} times an ordinary text")
    return found


def _timed(send: Callable[[str], TestResponse], text: str) -> tuple[float, int]:
    began = time.thread_time()
    status = send(text).status_int
    return time.thread_time() - began, status
