"""A field parses a value of its type, or raises Invalid that names the field."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from forumsvc.errors import Invalid
from forumsvc.schemas.fields import (
    Boolean,
    Choice,
    Id,
    Integer,
    Line,
    Lines,
    Name,
    Password,
    Text,
    Url,
    parameters,
    required,
)
from forumsvc.schemas.validation import validate
from forumsvc.text.ids import parse_integer
from tests.cases import each

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
SURROGATES = st.text(st.characters(categories=["Cs", "Cc", "Zs", "Nd", "Lo"]))
NUMBERS = st.integers().map(str) | st.from_regex(r"[-+ 0-9_.\u0660-\u0669]*", fullmatch=True)
VALUES = JSON | SURROGATES | NUMBERS


class Sent:
    """The parameters of a request: one, under the name `field`."""

    def __init__(self, value: Any) -> None:
        self._value = value

    is_empty = False

    def get(self, name: str) -> Any:
        return self._value

    def get_all(self, name: str) -> list[Any] | None:
        return None if self._value is None else list(self._value)


def read(kind: Any, value: Any) -> Any:
    """Return the value that a required field of this type parses; None if it refuses."""
    try:
        return validate(parameters(required("field", kind)), Sent(value))["field"]
    except Invalid as error:
        refused = error
    assert (refused.field, bool(refused.reason)) == ("field", True)
    message = str(refused)
    assert message.startswith("field: ")
    assert len(message) < 300
    assert message.isprintable()
    message.encode()
    return None


def refusal(kind: Any, value: Any) -> str:
    with pytest.raises(Invalid) as refused:
        validate(parameters(required("field", kind)), Sent(value))
    return refused.value.reason


@given(VALUES, st.integers(-5, 5), st.integers(0, 10))
def test_integer_parses_an_integer_in_its_range(value, low, size):
    number = read(Integer(low, low + size), value)
    assert number is None or (type(number) is int and low <= number <= low + size)


@given(VALUES)
def test_integer_accepts_integers_and_ascii_digits_only(value):
    number = read(Integer(), value)
    plain = isinstance(value, str) and value.isascii() and value.removeprefix("-").isdigit()
    assert (number is not None) is (plain or type(value) is int)


@given(VALUES, st.integers(0, 2), st.integers(2, 6), st.booleans())
def test_text_parses_storable_text_of_its_length(value, low, high, strip):
    text = read(Text(low, high, strip=strip), value)
    if text is None:
        return
    assert isinstance(text, str)
    assert len(text) <= high
    assert "\0" not in text
    text.encode()
    if low:
        assert text.strip()
    if strip:
        assert text == text.strip()


@given(VALUES | st.text().map("http://{}".format))
@example("http://[")
@example("http://[::1")
@example("http://a:b/")
@example("javascript:alert(1)")
def test_url_parses_a_url_or_an_empty_text(value):
    address = read(Url(0, 255), value)
    assert not address or address.lower().startswith(("http://", "https://"))


@each("text", ["٣", "1_0", " 5", "5 ", "+5", "5.0", "0x1", "1e3", "", "-", "--1"])
def test_other_spellings_that_int_accepts_are_refused(text):
    assert parse_integer(text) is None


def test_zeros_at_the_beginning_change_no_number_and_take_no_time():
    zeros = "0" * 1_000_000
    assert [parse_integer(f"{sign}{zeros}{rest}") for sign in ("", "-") for rest in ("", "12")] == [
        *(0, 12, 0, -12)
    ]
    assert parse_integer(f"{zeros}x") is None


JSON_VALUES = [True, 1.5, [], ["x"], {}, {"a": 1}]


@each("sent", [*JSON_VALUES, 1.0, "1.0", " 1", "1e0"])
def test_an_id_is_an_integer_or_its_digits(sent):
    assert refusal(Id(), sent).startswith("must be an integer, not ")


@each("sent", [*JSON_VALUES, 1])
def test_a_text_and_a_word_are_no_other_kind_of_json(sent):
    assert refusal(Text(0, 9), sent).startswith("must be a text, not ")
    assert refusal(Choice(["x", "1"]), sent).startswith("must be one of x, 1, not ")


@each("blank", ["", " ", "\t\n", "\u00a0", "\u3000", "\u200b", "\u2028", "\u3164", "\u2800 \u0301"])
def test_a_text_without_a_visible_character_is_refused(blank):
    for kind in (Text(1, 9), Line(1, 9), Lines(1, 9), Name(1, 9)):
        assert read(kind, blank) is None
    for kind in (Line(0, 9), Lines(0, 9), Name(0, 9)):
        assert read(kind, blank) == (None if blank.strip() else "")


@each(("sent", "name"), [(" a\u200bb\ufeff", "ab"), ("می\u200cخ", "می\u200cخ"), ("a \u200b", "a")])
def test_a_name_has_no_invisible_character_that_changes_nothing(sent, name):
    assert read(Name(0, 4), sent) == name


@each("sent", ["a\nb\n\nc", "a\r\nb\r\n\r\nc", "a\rb\r\rc", "a\r\nb\n\rc"])
def test_lines_end_with_lf_and_count_once_however_they_are_sent(sent):
    assert read(Text(1, 6), sent) == read(Lines(1, 6), sent) == "a\nb\n\nc"
    assert read(Text(1, 5), sent) is None


def test_a_password_is_taken_as_it_was_typed():
    for password in (" ", "a\r\nb", "\u3164", " a "):
        assert read(Password(1, 4), password) == password
    assert read(Password(1, 4), "") is None


@each("character", "\n\r\t\x07\x7f\x85\u2028\u2029\u202e\u202a\u2066\u2069")
def test_a_line_takes_no_line_break_or_control_character(character):
    reason = f"must not contain line breaks or control characters (U+{ord(character):04X})"
    assert refusal(Line(1, 9), f"a{character}b") == reason


@each("text", ["سلام\u200f!", "a\u200db", "👩\u200d💻", "a\xa0b", "  trimmed\n"])
def test_a_line_takes_every_other_character(text):
    assert read(Line(1, 9), text) == text.strip()


@each(
    ("sent", "shown"),
    [
        ("٣", "'٣'"),
        ("热门", "'热门'"),
        ("a\\b 'c'", "'a\\b 'c''"),
        ("a\n\x1b[31mb\x85", r"'a\n\x1b[31mb\x85'"),
        ("\u202eabc\u2028", r"'\u202eabc\u2028'"),
        (41 * "热", f"'{40 * '热'}…'"),
        (39 * "a" + "\x1b", f"'{39 * 'a'}…'"),
        ({"ü": [1, 2.5]}, "'{\"ü\": [1, 2.5]}'"),
    ],
)
def test_a_refusal_shows_what_was_sent_and_escapes_what_cannot_be_printed(sent, shown):
    assert refusal(Choice(["red"]), sent) == f"must be one of red, not {shown}"


TRUE: list[Any] = [True, 1, "1", "true"]
FALSE: list[Any] = [False, 0, "0", "false"]
NEITHER: list[Any] = [2, -1, 1.0, 0.0, "yes", "True", [1], {}]


def test_a_boolean_may_be_one_or_zero():
    assert [read(Boolean(), value) for value in TRUE] == [True] * 4
    assert [read(Boolean(), value) for value in FALSE] == [False] * 4
    assert [read(Boolean(), value) for value in NEITHER] == [None] * 8
