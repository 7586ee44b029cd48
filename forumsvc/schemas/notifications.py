"""The parameters of the notification endpoints."""

from typing import Any

import colander

from .fields import Integer, optional, parameters, required
from .lists import Ids
from .paging import paged

MAX_IDS = 1000


def notification_list(settings: Any) -> colander.SchemaNode:
    """Return the schema of GET /notifications."""
    schema = paged(settings)
    schema.add(optional("since", Integer(0)))
    return schema


def read_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of POST /notifications/read."""
    return parameters(required("ids", Ids(MAX_IDS)))
