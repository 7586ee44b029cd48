"""Letter avatars: readable, stable, and safe for any login."""

from xml.etree import ElementTree

from forumsvc.media.avatars import COLORS, letter_avatar
from forumsvc.pages.colors import contrast
from tests.cases import each

SVG = "{http://www.w3.org/2000/svg}"


def drawn(login: str) -> tuple[str | None, str | None]:
    root = ElementTree.fromstring(letter_avatar(login))  # noqa: S314
    return root.findtext(f"{SVG}title"), root.findtext(f"{SVG}text")


def color_of(login: str) -> str | None:
    found = ElementTree.fromstring(letter_avatar(login)).find(f"{SVG}rect")  # noqa: S314
    assert found is not None
    return found.get("fill")


def test_the_letter_is_readable_on_every_color():
    assert [color for color in COLORS if contrast("#ffffff", color) < 4.5] == []


def test_a_login_has_one_avatar_whatever_its_case():
    assert color_of("Alice") == color_of("alICE")
    assert letter_avatar("alice") == letter_avatar("alice")


@each(
    ("login", "letter"),
    [("alice", "A"), ("_bob", "B"), ("7up", "7"), ("ß", "S"), ("字", "字"), ("__", "?"), ("", "?")],
)
def test_the_letter_is_the_first_that_is_one(login, letter):
    assert drawn(login)[1] == letter


@each("login", ['"><script>alert(1)</script>', "</title><script/>", "a&b", "a\0b\x1b", "\ud800x"])
def test_a_login_stays_text(login):
    svg = letter_avatar(login)
    svg.encode()
    root = ElementTree.fromstring(svg)  # noqa: S314
    assert [child.tag for child in root.iter()] == [f"{SVG}{tag}" for tag in TAGS]


TAGS = ("svg", "title", "rect", "text")
