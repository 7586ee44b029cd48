"""GET /health/live and /health/ready: for supervisors, and for load balancers and people.

Who restarts a process asks whether it is alive: it is not to be restarted because the database is
away. Who sends it requests asks whether it is ready.
"""

import logging
from typing import Any

from pyramid.config import Configurator
from sqlalchemy.exc import DBAPIError

from .. import clock
from ..db.availability import Availability, AvailabilityCheck
from ..errors import single_line_message
from ..permissions import Common
from ..resources.public import Public
from ..services import deployment
from ..services.event_consumers import is_anybody_alive
from ..serving.environment import DRAINING
from ..web.api.request import ForumRequest
from .errors import error_response

log = logging.getLogger(__name__)


def live(context: Public, request: ForumRequest) -> Any:
    """Report that this process answers. It asks nothing else."""
    return {"status": "ok"}


def ready(context: Public, request: ForumRequest) -> Any:
    """Report whether the database can be read and written; 503 if not both, or before the end.

    `worker` says whether a background worker is alive on any host, `copy` whether emails and
    webhooks wait because the database is a copy. Requests are answered all the same.
    """
    availability = request.registry.availability.check()
    can = {
        "reads": availability.reads,
        "writes": availability.writes,
        "worker": False,
        "copy": False,
    }
    problem = availability.problem
    try:
        can["worker"], can["copy"] = (
            _has_worker(request, availability),
            _is_copy(request, availability),
        )
    except DBAPIError as error:  # a right on a table may be missing
        log.error("what /health reads cannot be read: %s", single_line_message(error))
        problem = "The database refuses what the service reads."
    if request.environ.get(DRAINING):
        problem = "This server is about to end."
    if problem is None:
        return {"status": "ok", **can}
    response = error_response(request, 503, problem, {"Retry-After": "1"})
    response.json_body = {**response.json_body, "status": "failed", **can}
    return response


def _has_worker(request: ForumRequest, result: Availability) -> bool:
    return result.reads and is_anybody_alive(request.registry.database.executor, clock.now())


def _is_copy(request: ForumRequest, result: Availability) -> bool:
    if not result.reads:
        return False
    with request.registry.database.reads.connect() as db:
        return (
            deployment.why_it_sends_nothing(db, request.registry.forum_settings["site.url"])
            is not None
        )


def includeme(config: Configurator) -> None:
    """Add the routes."""
    config.registry.availability = AvailabilityCheck(config.registry.database)
    for name, path, view in (
        ("live", "/health/live", live),
        ("ready", "/health/ready", ready),
        ("health", "/health", ready),
    ):
        config.add_route(name, path, factory=Public)
        config.add_view(
            view, route_name=name, request_method="GET", permission=Common.VIEW, renderer="json"
        )
