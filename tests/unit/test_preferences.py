"""Reading the header Prefer (RFC 7240)."""

import time

from forumsvc.web.api.preferences import is_strict
from tests.cases import each


@each(
    "header",
    [
        "handling=strict",
        "Handling=Strict",
        'handling="strict"',
        "handling = strict",
        "respond-async, wait=10, handling=strict",
        'foo="a, handling=lenient", handling=strict',
        r'foo="\", handling=lenient", handling=strict',
        "handling=strict; foo=bar",
        "handling=strict, handling=lenient",
        "return=minimal,handling=strict,wait=5",
    ],
)
def test_what_asks_for_strict_handling(header):
    assert is_strict(header)


@each(
    "header",
    [
        None,
        "",
        "handling",
        "handling=",
        "handling=lenient",
        "handling=lenient, handling=strict",
        "strict",
        "xhandling=strict",
        'foo="handling=strict"',
        "foo; handling=strict",
        '"handling=strict',
        "handling=stricter",
        f"{'x' * 1000}, handling=strict",
    ],
)
def test_what_does_not(header):
    assert not is_strict(header)


def test_a_hostile_header_takes_no_time():
    began = time.perf_counter()
    for text in ('"\\' * 500, '"' * 999, ('\\"' * 499) + '"'):
        is_strict(text)
    assert time.perf_counter() - began < 1
