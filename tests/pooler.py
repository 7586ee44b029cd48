"""A server in front of PostgreSQL that treats the startup packet as connection poolers do."""

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator

from sqlalchemy import URL, make_url

_SSL_REQUEST, _GSS_REQUEST = 80877103, 80877104


@contextlib.contextmanager
def pooler(url: str, *, refuses: bool = False) -> Iterator[str]:
    """Listen on a local port, and yield the URL that reaches the database through it.

    The parameter `options` is dropped, or refused as by a PgBouncer that does not ignore it.
    """
    target = make_url(url)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, target, refuses), daemon=True).start()
        port = listener.getsockname()[1]
        yield target.set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
        listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, target: URL, refuses: bool) -> None:
    with contextlib.suppress(OSError):
        while True:
            client, _ = listener.accept()
            threading.Thread(target=_serve, args=(client, target, refuses), daemon=True).start()


def _serve(client: socket.socket, target: URL, refuses: bool) -> None:
    with client, contextlib.suppress(OSError):
        startup = _read_startup(client)
        if refuses:
            client.sendall(_error("unsupported startup parameter: options"))
            return
        with socket.create_connection((target.host, target.port)) as server:
            server.sendall(_without_options(startup))
            back = threading.Thread(target=_relay, args=(server, client), daemon=True)
            back.start()
            _relay(client, server)
            back.join()


def _read_startup(client: socket.socket) -> bytes:
    """Return the startup packet without its length; decline encryption requests."""
    while True:
        (length,) = struct.unpack("!I", client.recv(4, socket.MSG_WAITALL))
        packet = client.recv(length - 4, socket.MSG_WAITALL)
        if struct.unpack("!I", packet[:4])[0] not in (_SSL_REQUEST, _GSS_REQUEST):
            return packet
        client.sendall(b"N")


def _without_options(startup: bytes) -> bytes:
    words = startup[4:].rstrip(b"\0").split(b"\0")
    pairs = zip(words[::2], words[1::2], strict=True)
    kept = b"".join(name + b"\0" + value + b"\0" for name, value in pairs if name != b"options")
    packet = startup[:4] + kept + b"\0"
    return struct.pack("!I", len(packet) + 4) + packet


def _error(message: str) -> bytes:
    fields = b"".join(part.encode() + b"\0" for part in ("SFATAL", "C08P01", f"M{message}")) + b"\0"
    return b"E" + struct.pack("!I", len(fields) + 4) + fields


def _relay(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
