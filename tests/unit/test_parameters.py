"""The fields of a form are those of the standard library, though they are decoded quicker."""

from io import BytesIO
from typing import Any
from urllib.parse import parse_qsl, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from forumsvc.errors import Malformed
from forumsvc.web.api.parameters import Parameters, read_parameters

ESCAPES = st.sampled_from(
    ["%E4%B8%AD", "%e4", "%B8", "%C3%A9", "%26", "%3D", "%41", "%F", "%80%G1"]
)
TEXTS = st.lists(ESCAPES | st.sampled_from([*"a&=+;%"]), max_size=30).map("".join)


def parameters(form: str, query: str = "") -> Parameters:
    body = form.encode()
    environ = {
        "REQUEST_METHOD": "POST",
        "QUERY_STRING": query,
        "CONTENT_TYPE": "application/x-www-form-urlencoded",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
    }
    return read_parameters(environ)


def fields(text: str) -> dict[str, list[Any]]:
    read = parameters(text)
    names = {name for name, _ in parse_qsl(text, keep_blank_values=True)}
    return {name: read.get_all(name) or [] for name in names}


def as_the_library(text: str) -> dict[str, list[str]] | None:
    """Return the fields as the standard library reads them; None if it refuses them."""
    found: dict[str, list[str]] = {}
    try:
        for name, value in parse_qsl(text, keep_blank_values=True, errors="strict"):
            found.setdefault(name, []).append(value)
    except UnicodeDecodeError:
        return None
    return found


@given(TEXTS)
@example("a=%E4%B8%AD&b=%E4%B8")
def test_a_form_has_the_fields_that_the_standard_library_finds(text):
    expected = as_the_library(text)
    if expected is None:
        with pytest.raises(Malformed):
            fields(text)
    else:
        assert fields(text) == expected


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_comes_back_as_it_was_sent(text):
    assert fields(f"body={quote_plus(text)}&title=x") == {"body": [text], "title": ["x"]}


@pytest.mark.parametrize("name", ["type", "body"])
def test_the_body_wins_for_every_name_but_where_the_query_is_asked_first(name):
    read = parameters(f"{name}=form", f"{name}=one&{name}=query")
    assert (read.get(name), read.get_from_query(name)) == ("form", "query")
    assert parameters(f"{name}=form").get_from_query(name) == "form"
    assert parameters("").get_from_query(name) is None
