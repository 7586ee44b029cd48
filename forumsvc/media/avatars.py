"""The default avatar of a user: the first letter of the login on one of twelve colors."""

from hashlib import sha256
from html import escape

SIDE = 240
"""Width and height of the avatar in pixels."""

COLORS = (
    *("#ae5d78", "#b25f52", "#a6662b", "#8e710f", "#6c7e2a", "#3b834e"),
    *("#008674", "#008295", "#297cae", "#5e73b8", "#8267ae", "#9e6199"),
)
"""Equally light in twelve hues. White letters have a contrast of 4.5 : 1 on each."""


def letter_avatar(login: str) -> str:
    """Return an SVG document, SIDE pixels square, for a login.

    The color depends on the login only, whatever its case. The contrast of the white letter is at
    least 4.5 : 1 (WCAG 2.2, success criterion 1.4.3, level AA).
    """
    letter = next((character for character in login if character.isalnum()), "?").upper()[0]
    seed = sha256(login.casefold().encode("utf-8", "replace")).digest()
    color = COLORS[int.from_bytes(seed[:2], "big") % len(COLORS)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}" height="{SIDE}"'
        f' viewBox="0 0 {SIDE} {SIDE}" role="img"><title>{escape(_printable(login))}</title>'
        f'<rect width="{SIDE}" height="{SIDE}" fill="{color}"/>'
        f'<text x="50%" y="50%" dy=".35em" fill="#ffffff" font-size="120" font-weight="600"'
        ' font-family="system-ui, sans-serif" text-anchor="middle">'
        f"{escape(letter)}</text></svg>"
    )


def _printable(text: str) -> str:
    """Replace characters that XML 1.0 does not allow (production [2] Char)."""
    return "".join(
        character if character.isprintable() or character == " " else "\ufffd" for character in text
    )
