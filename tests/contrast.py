"""The contrast of colors, as WCAG 2.2 defines it."""


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colors such as `#f4f4f4`, 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(value / 255) for value in bytes.fromhex(color.removeprefix("#")))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    """Return the linear light of an sRGB value (IEC 61966-2-1)."""
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
