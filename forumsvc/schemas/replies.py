"""The parameters of the reply endpoints."""

from typing import Any

import colander

from .fields import Text, parameters, required


def reply_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of creating or editing a reply."""
    return parameters(required("body", Text(1, settings["posts.max_body"])))
