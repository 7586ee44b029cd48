"""The plain way beside each piece of own machinery, for `benchmarks.machinery`.

They are factories for an ini file: `paste.app_factory` and `paste.server_factory`.
"""

import socket
from collections.abc import Callable
from typing import Any

import forumsvc
from forumsvc import serving
from forumsvc.serving import listen_sockets
from forumsvc.web.api import steps


def slow_work_in_view(global_config: dict[str, str], **ini: str) -> Any:
    """Create the forum with its slow work inside the view, while the item is locked."""
    order = ("schema", "replayed", "idempotent", "locked", "prework", "http_cache")
    derivers = dict(steps.VIEW_STEPS)
    steps.VIEW_STEPS = tuple((name, derivers[name]) for name in order)
    return forumsvc.main(global_config, **ini)


def reuse_port(global_config: dict[str, str], **keys: str) -> Callable[[Any], None]:
    """Create the server whose workers have a socket each, with SO_REUSEPORT."""
    serve_inherited, announce = serving.serve, listen_sockets.listen

    def listen(sockets: list[socket.socket], backlog: int) -> None:
        """Leave the parent's sockets bound: listening, they would get connections, too."""
        addresses = [bound.getsockname() for bound in sockets]
        announce([], backlog)
        for host, port in addresses:
            print(f"forumsvc serves on http://{host}:{port}", flush=True)

    def serve(
        app: Any, sockets: list[socket.socket], options: Any, *rest: Any, **named: Any
    ) -> None:
        own = [_bind(inherited.getsockname()) for inherited in sockets]
        for bound in own:
            bound.listen(options.backlog)
        serve_inherited(app, own, options, *rest, **named)

    listen_sockets.listen = listen
    listen_sockets._bind_host = lambda *info: _bind(info[3])
    serving.serve = serve
    return serving.server_factory(global_config, **keys)


def _bind(address: Any) -> socket.socket:
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    bound.bind(address)
    return bound
