"""The parameters of the endpoints of access blocks."""

from ..models import AccessBlockKind, AccessBlockSeverity
from ..services.access.values import MAX_VALUE
from .fields import Boolean, Choice, Line, Lines, Moment, optional, parameters, required
from .restrictions import MAX_REASON

ACCESS_BLOCK_FORM = parameters(
    required("kind", Choice(AccessBlockKind)),
    required("value", Line(1, MAX_VALUE)),
    required("severity", Choice(AccessBlockSeverity)),
    required("reason", Lines(1, MAX_REASON)),
    optional("expires_at", Moment()),
    optional("force", Boolean(), False),
)
