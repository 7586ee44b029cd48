"""The device endpoints, which applications of Homeland call when they are opened and left."""

from ..models import DevicePlatform
from ..permissions import DevicePermission
from ..resources.devices import Devices
from ..schemas.devices import DEVICE_FORM
from ..services.notifications import devices
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Ok


@api_view(Devices, "POST", DevicePermission.REGISTER, schema=DEVICE_FORM)
def register(container: Devices, request: ForumRequest) -> Ok:
    given = request.validated
    platform = DevicePlatform(given["platform"])
    devices.register(request.db, request.actor_id, request.now, platform, given["token"])
    return Ok()


@api_view(Devices, "DELETE", DevicePermission.UNREGISTER, schema=DEVICE_FORM)
def unregister(container: Devices, request: ForumRequest) -> Ok:
    given = request.validated
    platform = DevicePlatform(given["platform"])
    devices.unregister(request.db, request.actor_id, platform, given["token"])
    return Ok()
