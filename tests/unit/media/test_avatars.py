"""Letter avatars: readable, stable, and safe for any login."""

import re
from xml.etree import ElementTree

import pytest

from forumsvc.media.avatars import SIDE, background_color, contrast, letter_avatar
from tests.cases import each

SVG = "{http://www.w3.org/2000/svg}"
LOGINS = [f"user{number}" for number in range(2000)]


def drawn(login: str) -> tuple[str | None, str | None]:
    """Return title and letter."""
    root = ElementTree.fromstring(letter_avatar(login))  # noqa: S314
    return root.findtext(f"{SVG}title"), root.findtext(f"{SVG}text")


def test_the_letter_is_readable_on_every_color() -> None:
    assert all(contrast(background_color(login)) >= 4.5 for login in LOGINS)


def test_the_measure_of_contrast_is_that_of_wcag() -> None:
    assert contrast((0, 0, 0)) == pytest.approx(21)
    assert contrast((255, 255, 255)) == pytest.approx(1)
    assert contrast((0x76, 0x76, 0x76)) == pytest.approx(4.54, abs=0.005)


def test_colors_differ_between_users() -> None:
    assert len({background_color(login) for login in LOGINS}) > 100


def test_a_login_has_one_avatar_whatever_its_case() -> None:
    assert background_color("Alice") == background_color("alICE")
    assert letter_avatar("alice") == letter_avatar("alice")


def test_size_title_and_color_are_stated() -> None:
    svg = letter_avatar("alice")
    root = ElementTree.fromstring(svg)  # noqa: S314
    assert (root.get("width"), root.get("height")) == (str(SIDE), str(SIDE))
    assert drawn("alice") == ("alice", "A")
    assert re.search(r'fill="#[0-9a-f]{6}"', svg)


@each(
    ("login", "letter"),
    [("alice", "A"), ("_bob", "B"), ("7up", "7"), ("ß", "S"), ("字", "字"), ("__", "?"), ("", "?")],
)
def test_the_letter_is_the_first_that_is_one(login: str, letter: str) -> None:
    assert drawn(login)[1] == letter


@each(
    "login",
    [
        '"><script>alert(1)</script>',
        "</title><script/>",
        "a&b",
        "]]>",
        "a\0b\x1b",
        "\ud800x",
        "'x'",
    ],
)
def test_a_login_stays_text(login: str) -> None:
    svg = letter_avatar(login)
    svg.encode()
    root = ElementTree.fromstring(svg)  # noqa: S314
    assert [child.tag for child in root.iter()] == [f"{SVG}{tag}" for tag in TAGS]


TAGS = ("svg", "title", "rect", "text")
