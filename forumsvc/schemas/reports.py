"""The parameters of the endpoints of reports."""

from enum import StrEnum

from ..models import ReportCategory
from .fields import Choice, Id, Lines, optional, parameters, required

MAX_COMMENT = 1_000


class Reportable(StrEnum):
    """What can be reported."""

    TOPIC = "topic"
    REPLY = "reply"
    USER = "user"


REPORT_FORM = parameters(
    required("obj_type", Choice(Reportable)),
    required("obj_id", Id()),
    required("category", Choice(ReportCategory)),
    optional("comment", Lines(0, MAX_COMMENT), ""),
)
