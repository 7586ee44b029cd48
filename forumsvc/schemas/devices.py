"""The parameters of the device endpoints."""

from ..models import DevicePlatform
from .fields import Choice, Line, parameters, required

MAX_TOKEN = 4_096

DEVICE_FORM = parameters(
    required("platform", Choice(DevicePlatform)), required("token", Line(1, MAX_TOKEN))
)
