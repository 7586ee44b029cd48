"""Colors that can be read, by the contrast ratio of WCAG 2.2."""

GROUNDS = {"light": "#fbfaf8", "dark": "#171614"}
"""The grounds of the pages, as in style.css."""
USUAL_ACCENT = "#0a6a5c"
"""The accent of a site that has none of its own in the light theme, as in style.css."""
LEAST = 4.5
"""The contrast of text (WCAG 2.2, 1.4.3)."""


def contrast(color: str, other: str) -> float:
    """Return the contrast ratio of two colors such as `#f4f4f4`, 1 to 21."""
    darker, lighter = sorted((_luminance(color), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def readable_on(color: str, ground: str) -> str:
    """Return a color, or the nearest one towards black or white that can be read on a ground."""
    target = 0 if _luminance(ground) > 0.5 else 255
    parts = bytes.fromhex(color.removeprefix("#"))
    for step in range(101):
        mixed = [round(part + (target - part) * step / 100) for part in parts]
        result = f"#{bytes(mixed).hex()}"
        if contrast(result, ground) >= LEAST:
            break
    return result


def text_on(color: str) -> str:
    """Return the color of text on a ground of this color."""
    return max("#ffffff", "#10110f", key=lambda text: contrast(text, color))


def _luminance(color: str) -> float:
    red, green, blue = (_linear(value / 255) for value in bytes.fromhex(color.removeprefix("#")))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    """Return the linear light of an sRGB value (IEC 61966-2-1)."""
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
