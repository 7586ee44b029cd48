"""The default avatar of a user: the first letter of the login on a color of its own."""

import hashlib
import math
from html import escape

SIDE = 240
"""Width and height of the avatar in pixels."""

_CHROMA = 0.11
_CONTRAST = 4.5


def letter_avatar(login: str) -> str:
    """Return an SVG document, SIDE pixels square, for a login.

    The color depends on the login only, whatever its case. The contrast of the white letter is at
    least 4.5 : 1 (WCAG 2.2, success criterion 1.4.3, level AA).
    """
    letter = next((character for character in login if character.isalnum()), "?").upper()[0]
    color = "#{:02x}{:02x}{:02x}".format(*background_color(login))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}" height="{SIDE}"'
        f' viewBox="0 0 {SIDE} {SIDE}" role="img"><title>{escape(_printable(login))}</title>'
        f'<rect width="{SIDE}" height="{SIDE}" fill="{color}"/>'
        f'<text x="50%" y="50%" dy=".35em" fill="#ffffff" font-size="120" font-weight="600"'
        ' font-family="system-ui, sans-serif" text-anchor="middle">'
        f"{escape(letter)}</text></svg>"
    )


def background_color(login: str) -> tuple[int, int, int]:
    """Return a login's color as sRGB values, 0 to 255: the login decides the hue; the lightness is
    the greatest at which a white letter is readable.
    """
    seed = hashlib.sha256(login.casefold().encode("utf-8", "replace")).digest()
    hue = int.from_bytes(seed[:2], "big") / 65536 * math.tau
    for percent in range(62, 0, -1):
        color = _oklch(percent / 100, _CHROMA, hue)
        if contrast(color) >= _CONTRAST:
            return color
    return (0, 0, 0)


def contrast(color: tuple[int, int, int]) -> float:
    """Return the contrast ratio of white to an sRGB color, 1 to 21 (WCAG 2.2, definitions)."""
    red, green, blue = (_linear(value / 255) for value in color)
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return 1.05 / (luminance + 0.05)


def _linear(value: float) -> float:
    """Return the linear light of an sRGB value (IEC 61966-2-1)."""
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _gamma(light: float) -> float:
    return light * 12.92 if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055


def _oklch(lightness: float, chroma: float, hue: float) -> tuple[int, int, int]:
    """Return the nearest sRGB color of an OKLCH one (CSS Color 4, §10), clipped to the gamut.

    In OKLCH equal lightness looks equally light in every hue.
    """
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    lights = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    red, green, blue = (round(255 * _gamma(min(1.0, max(0.0, light)))) for light in lights)
    return red, green, blue


def _printable(text: str) -> str:
    """Replace characters that XML 1.0 does not allow (production [2] Char)."""
    return "".join(
        character if character.isprintable() or character == " " else "\ufffd" for character in text
    )
