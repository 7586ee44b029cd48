"""What tells programs that fill in the sign-up page from people. It needs no script.

A field that people do not see must stay empty, and a signed time says when the page was shown:
nobody fills it in within `accounts.sign_up_min_seconds`.
"""

import hmac
import re
from hashlib import sha256

from ...errors import Invalid
from ...web.api.request import ForumRequest
from ..csrf import form_secret
from ..forms import WHOLE_FORM

FIELD, SHOWN_AT = "extra", "shown_at"
"""No name that password managers know."""
_LONGEST_SECONDS = 86400
"""Nobody keeps the page open for longer; a program could send the same time again and again."""
_STAMP = re.compile(r"([0-9]{1,15})\.([0-9a-f]{64})", re.ASCII)


def stamp(request: ForumRequest) -> str:
    """Return when the form was first shown, signed for this browser; now if it was not."""
    sent = request.parameters.get(SHOWN_AT)
    if isinstance(sent, str) and _age(request, sent) is not None:
        return sent
    shown_at = int(request.now.timestamp() * 1000)
    return f"{shown_at}.{_signature(request, shown_at)}"


def seconds_shown(request: ForumRequest) -> float | None:
    """Return how long ago this browser was shown the form; None if that is unknown."""
    return _age(request, str(request.parameters.get(SHOWN_AT)))


def check_person(request: ForumRequest) -> None:
    """Raise Invalid, for the form as a whole, if a program seems to have sent it."""
    least = request.settings["accounts.sign_up_min_seconds"]
    if request.parameters.get(FIELD):
        raise Invalid(
            WHOLE_FORM,
            "A field that is not shown was filled in, perhaps by a password manager. Look at the "
            "form, and send it once more.",
        )
    age = seconds_shown(request)
    if least is not None and age is not None and age < least:
        raise Invalid(WHOLE_FORM, "This was sent too fast. Wait a few seconds and try again.")
    if least is not None and age is None:
        raise Invalid(
            WHOLE_FORM, "This page was open for too long. Look at the form, and send it once more."
        )


def _age(request: ForumRequest, sent: str) -> float | None:
    """Return the seconds since a signed time; None if it is forged or too old."""
    match = _STAMP.fullmatch(sent)
    if match is None:
        return None
    shown_at = int(match[1])
    age = request.now.timestamp() - shown_at / 1000
    is_genuine = hmac.compare_digest(match[2], _signature(request, shown_at))
    return age if is_genuine and age <= _LONGEST_SECONDS else None


def _signature(request: ForumRequest, shown_at: int) -> str:
    key = request.settings["session.secret"].encode()
    text = f"sign-up {shown_at} {form_secret(request).hex()}"
    return hmac.new(key, text.encode(), sha256).hexdigest()
