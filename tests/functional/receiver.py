"""A receiver of webhooks in this process, that answers as a test says."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """How to answer one message. hang: wait for the end of the test instead of answering."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    hang: bool = False
    endless: bool = False


@dataclass
class Received:
    """One message. body: its bytes, as they are signed."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


@dataclass
class Receiver:
    """answers: to the next messages, then `usual`; received: all messages, in order."""

    url: str = ""
    answers: list[Answer] = field(default_factory=list)
    usual: Answer = field(default_factory=Answer)
    received: list[Received] = field(default_factory=list)
    connections: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def types(self) -> list[str]:
        return [message.json["type"] for message in self.received]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Run a receiver on a free port of loopback."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            receiver.connections += 1

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.received.append(Received(self.path, headers, body))
            answer = receiver.answers.pop(0) if receiver.answers else receiver.usual
            if answer.hang:
                receiver.ended.wait()
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.endless:
                self.end_headers()
                self._write_until_closed()
                return
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def _write_until_closed(self) -> None:
            self.close_connection = True
            with suppress(OSError):  # until the sender closes the connection
                while not receiver.ended.is_set():
                    self.wfile.write(b"x" * 65536)

        def log_message(self, *rest: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
