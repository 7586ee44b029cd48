"""The parameters of the photo endpoints."""

from typing import Any

import colander

from .fields import File, parameters, required


def photo_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of POST /photos."""
    return parameters(required("file", File()))
