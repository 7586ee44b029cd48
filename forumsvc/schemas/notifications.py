"""The parameters of the notification endpoints."""

from typing import Any

import colander

from .fields import Ids, parameters, required

MOST_IDS = 1000


def read_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of POST /notifications/read."""
    return parameters(required("ids", Ids(MOST_IDS)))
