"""Check of `[server:main]`: its keys, and whether the service can listen on its addresses."""

import errno
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from paste.deploy import loadwsgi

from ..serving.options import Options
from .problem import Problem, error, warning


@dataclass(frozen=True)
class Server:
    """The section. options: None if they are invalid or it names another server."""

    options: Options | None = None
    problems: list[Problem] = field(default_factory=list)


def read(ini: Path) -> Server:
    """Read and check the section without starting the server."""
    try:
        context = loadwsgi.loadcontext(loadwsgi.SERVER, f"config:{ini}", name="main")
        factory = context.object
    except Exception as failure:  # an import can raise anything
        return Server(problems=[error(f"[server:main]: {failure}")])
    if not factory.__module__.startswith("forumsvc.serving"):
        used = f"{factory.__module__}.{factory.__qualname__}"
        return Server(problems=[warning(f"[server:main]: {used} is not checked here")])
    try:
        options = Options.from_section(context.local_conf)
    except SystemExit as refusal:
        return Server(problems=[error(refusal)])
    return Server(options, [*_addresses(options), *_trust(options)])


def _trust(options: Options) -> Iterator[Problem]:
    """Yield a warning where anybody who connects may pretend to be another client."""
    if options.trusted_proxy.is_everybody and not options.address.unix_socket:
        yield warning(
            f"[server] trusted_proxy = {options.address.trusted_proxy}: whoever connects is "
            "believed about the address that they come from, so limits and access blocks hold "
            "nobody. Name the address or the network of the proxy, or let nobody else connect"
        )


def _addresses(options: Options) -> Iterator[Problem]:
    """Yield the TCP addresses that cannot be bound; one in use may belong to this service."""
    if options.address.unix_socket:
        folder = Path(options.address.unix_socket).parent
        if not os.access(folder, os.W_OK):
            yield error(f"[server] unix_socket: {folder} is not writable")
        return
    for family, kind, _, where in options.address.listen:
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(where)
            except OSError as failure:
                if failure.errno != errno.EADDRINUSE:
                    yield error(f"[server] {where[0]}:{where[1]}: {failure.strerror}")
