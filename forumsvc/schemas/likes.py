"""The parameters of the like endpoints."""

from enum import StrEnum

from .fields import Choice, Id, optional, parameters, required
from .paging import page_parameters


class Likeable(StrEnum):
    """The types of resources that can be liked."""

    TOPIC = "topic"
    REPLY = "reply"


LIKE_FORM = parameters(required("obj_type", Choice(Likeable)), required("obj_id", Id()))
OWN_LIKES = parameters(
    required("obj_type", Choice(Likeable)), optional("topic_id", Id()), *page_parameters()
)
