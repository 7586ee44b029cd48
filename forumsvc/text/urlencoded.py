"""`application/x-www-form-urlencoded`: forms and queries, parsed at a bounded cost."""

import re
from urllib.parse import parse_qsl

_MAX_ESCAPES = 150_000
"""Each costs the standard library up to 170 bytes. A text of 65,536 line breaks has 131,072."""
_ESCAPED_TEXT = re.compile("(?:%[89A-Fa-f][0-9A-Fa-f])+")
"""Escaped bytes of characters that are not ASCII, so none that separates fields."""


class FormError(ValueError):
    """A form that cannot be parsed. Its text follows the name of the form ("the form holds …")."""


def parse_urlencoded(raw: bytes, max_fields: int) -> list[tuple[str, str]]:
    """Return the names and values of a form in UTF-8, raw or escaped. Raises FormError.

    The caller bounds the number of bytes, and this what each of them costs.
    """
    try:
        # `parse_qsl` decodes byte by byte, which takes 50 ms for a long Chinese text.
        text = _ESCAPED_TEXT.sub(_decoded, raw.decode())
        if text.count("%") > _MAX_ESCAPES:
            raise FormError(f"has more than {_MAX_ESCAPES} escaped characters")
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=max_fields)
    except UnicodeDecodeError:
        raise FormError("holds bytes that are not UTF-8") from None
    except FormError:
        raise
    except ValueError:
        raise FormError(f"has more than {max_fields} fields") from None


def _decoded(match: re.Match[str]) -> str:
    return bytes.fromhex(match[0].replace("%", "")).decode()
