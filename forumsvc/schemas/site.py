"""The parameters of the texts of the site."""

from typing import Any

from ..errors import Invalid
from ..models import SITE_FIELDS, SiteField
from ..services.photos.logos import FIELD
from ..services.site_texts import check_color
from .fields import Choice, Field, Line, Lines, Name, clearable, parameters, refuse

_ADDRESS = 2000  # a presigned URL is long
_LONGEST_COLOR = 20


class _Color(Line):
    """A color as the service stores it."""

    def parse(self, node: Any, value: Any) -> str:
        try:
            return check_color(node.name, super().parse(node, value))
        except Invalid as error:
            return str(refuse(node, error.reason))


def _type(item: SiteField) -> Field:
    if item.kind == "markdown":
        return Lines(0, item.max_length)
    if item.kind == "color":
        return _Color(0, _LONGEST_COLOR)
    if item.kind == "choice":
        return Choice(("", *item.choices))
    return (Name if item.name == "name" else Line)(0, item.max_length)


SITE_TEXTS = parameters(*(clearable(item.name, _type(item)) for item in SITE_FIELDS))
"""What is left out stays; empty: as in the ini file."""
CHANGED_SITE = parameters(*SITE_TEXTS.clone().children, clearable(FIELD, Line(0, _ADDRESS)))
"""With the logo: the address of a photo that the caller has uploaded."""
