"""The sockets to listen on: bound once, inherited by every worker."""

import os
import socket
import sys

from waitress.utilities import cleanup_unix_socket

from forumsvc.serving import reload
from forumsvc.serving.options import Options


def bind(options: Options) -> list[socket.socket]:
    """Bind every address of the section; connections are accepted only after `listen`.

    In place of these addresses, the sockets of the former run of this process are used, or those
    that systemd passes to it.
    Raises SystemExit with a message of one line if an address cannot be bound.
    """
    inherited = reload.take_sockets() or _passed_by_systemd()
    if inherited:
        return [socket.socket(fileno=number) for number in inherited]
    address = options.address
    if address.unix_socket:
        return [_bind_path(address.unix_socket, address.unix_socket_perms)]
    return [_bind_host(*sockinfo) for sockinfo in address.listen]


def listen(sockets: list[socket.socket], backlog: int) -> None:
    """Start listening, and print the addresses.

    backlog: how many connections may wait to be accepted.
    """
    for bound in sockets:
        bound.listen(backlog)
    where = ", ".join(map(_url, sockets))
    sys.stderr.write(f"forumsvc serves on {where}\n")
    sys.stderr.flush()


def _passed_by_systemd() -> list[int]:
    """Return the file descriptors of socket activation (sd_listen_fds)."""
    pid, number = os.environ.pop("LISTEN_PID", ""), os.environ.pop("LISTEN_FDS", "0")
    return [*range(3, 3 + int(number))] if pid == str(os.getpid()) else []


def _bind_host(
    family: int, kind: int, protocol: int, where: tuple[str, int] | tuple[str, int, int, int]
) -> socket.socket:
    """Bind a TCP port."""
    bound = socket.socket(family, kind, protocol)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    try:
        bound.bind(where)
    except OSError as error:
        bound.close()
        raise SystemExit(f"[server] {where[0]}:{where[1]}: {error.strerror}.") from None
    return bound


def _bind_path(path: str, permissions: int) -> socket.socket:
    """Bind a Unix socket, replacing one that an earlier server left behind."""
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        cleanup_unix_socket(path)
        bound.bind(path)
        os.chmod(path, permissions)
    except OSError as error:
        bound.close()
        raise SystemExit(f"[server] unix_socket = {path}: {error.strerror or error}.") from None
    return bound


def _url(bound: socket.socket) -> str:
    """Return the URL of a bound socket."""
    name = bound.getsockname()
    if bound.family == socket.AF_UNIX:
        return f"unix:{name}"
    host, port = name[:2]
    return f"http://[{host}]:{port}" if bound.family == socket.AF_INET6 else f"http://{host}:{port}"
