"""What the forms of admins share: nobody overwrites unseen what another admin did."""

from typing import Any

from ...errors import Invalid
from ...text.messages import Message
from ...web.api.request import ForumRequest
from ..forms import WHOLE_FORM, Values

CHANGED = Message(
    "Somebody has changed this since you opened it. Save again to put yours in place of theirs."
)


def is_conflict(errors: Values) -> bool:
    """Return whether a form is shown again because another admin has changed the same."""
    return errors.get(WHOLE_FORM) is CHANGED


def seen(request: ForumRequest, now: str, errors: Values) -> str:
    """Return the digest of what was there when a form was opened, which the form carries.

    now: the digest of what is there now.
    """
    sent = request.parameters.get("seen")
    return now if is_conflict(errors) or not isinstance(sent, str) else sent


def check_seen(request: ForumRequest, now: str, stored: Any, values: Values) -> None:
    """Raise Invalid if what a form changes is not what it showed.

    now: the digest of what is there now; stored: the same, locked; values: those of the form. If
    all are the same, nothing is lost: a form may be sent twice.
    """
    differs = any(getattr(stored, name) != value for name, value in values.items())
    if differs and request.parameters.get("seen") != now:
        raise Invalid(WHOLE_FORM, CHANGED)
