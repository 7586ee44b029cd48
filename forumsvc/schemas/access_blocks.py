"""The parameters of the endpoints of access blocks."""

from typing import Any

import colander

from ..models import AccessBlockKind, AccessBlockSeverity
from ..services.access.values import MAX_VALUE
from .fields import Boolean, Choice, Line, Lines, Moment, optional, parameters, required
from .paging import page_parameters
from .restrictions import MAX_REASON


def access_block_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of POST /access_blocks."""
    return parameters(
        required("kind", Choice(AccessBlockKind)),
        required("value", Line(1, MAX_VALUE)),
        required("severity", Choice(AccessBlockSeverity)),
        required("reason", Lines(1, MAX_REASON)),
        optional("expires_at", Moment()),
        optional("force", Boolean(), False),
    )


def access_block_list(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /access_blocks."""
    return parameters(*page_parameters())
