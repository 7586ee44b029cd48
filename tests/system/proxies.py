"""The shipped nginx and HAProxy in front of real services, with HTTPS."""

import http.client
import os
import re
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests import programs
from tests.functional.doctor.tls import write_certificate
from tests.functional.forum import API
from tests.functional.test_photos import picture
from tests.system.process import PATIENCE, prepare_child, wait_until
from tests.system.pserve import ROOT, Pserve

DEPLOY = ROOT / "deploy"
HOST = "forum.example.org"
"""The host in the shipped files."""
TRUST = "\n".join(
    re.findall(r"(?m)^(?:trusted_proxy|clear_untrusted).*$", (ROOT / "production.ini").read_text())
)
"""Lines of `[server:main]`: the service believes a proxy on this machine, as it is shipped."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


def is_open(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running(
    port: int, log: Path, *command: str, user: str | None = None, env: dict[str, str] | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program until it answers on its port, and stop it afterwards.

    log: a file for its output, which is appended to; user: who runs it, None: who runs the tests.
    """
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=prepare_child,
            user=user,
            env=env,
        )

    def answers() -> bool:
        assert process.poll() is None, log.read_text()
        return is_open(port)

    try:
        wait_until(answers, f"{command[0]} answers")
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(PATIENCE)


def connect(port: int, tls: ssl.SSLContext | None, source: str = "") -> http.client.HTTPConnection:
    """Return a connection, by HTTPS where there is a context of TLS."""
    way = ("127.0.0.1", port, PATIENCE, (source, 0))
    connection = http.client.HTTPConnection(*way)
    if tls is not None:
        connection.connect()
        connection.sock = tls.wrap_socket(connection.sock, server_hostname=HOST)
    return connection


def get(
    port: int, path: str, tls: ssl.SSLContext | None = None, source: str = "", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Request a path; return status, headers with lower-case names, and body.

    source: the address of the client.
    """
    connection = connect(port, tls, source)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, found, answer.read()
    finally:
        connection.close()


def shipped(name: str, folder: Path, **replaced: str) -> Path:
    """Copy a file of `deploy/` with other addresses. replaced: new text by the old one."""
    text = (DEPLOY / name).read_text()
    for old, new in replaced.items():
        assert old in text, old
        text = text.replace(old, new)
    path = folder / name
    path.write_text(text)
    return path


@dataclass(frozen=True)
class Proxy:
    """A running proxy: its ports, a context that trusts its certificate, and its folder."""

    port: int
    plain_port: int
    tls: ssl.SSLContext
    folder: Path

    def connect(self, source: str = "") -> http.client.HTTPConnection:
        """Return a connection by HTTPS. source: the address of the client."""
        return connect(self.port, self.tls, source)

    def get(self, path: str, source: str = "", **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Request a path by HTTPS, as `get` does."""
        return get(self.port, path, self.tls, source, **{"Host": HOST, **headers})

    def send(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, str]:
        """Send a request by HTTPS; return status and text."""
        connection = self.connect()
        try:
            connection.request(method, path, body, {"Host": HOST, **headers})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def upload(self, token: str) -> str:
        """Upload a photo and return the path of its address."""
        body = (
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n'
            b"Content-Type: image/png\r\n\r\n" + picture() + b"\r\n--b--\r\n"
        )
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "multipart/form-data; boundary=b",
        }
        status, text = self.send("POST", f"{API}/photos", body, **headers)
        assert status in (200, 201), text
        found = re.search(r"/photos/[^\"]+", text)
        assert found
        return found[0]

    def written(self) -> str:
        """Return all that it has written: its logs, and what it keeps."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return "\n".join(path.read_bytes().decode(errors="replace") for path in files)


@contextmanager
def behind_nginx(
    service: Pserve, folder: Path, listen: str = "127.0.0.1:{port}", **replaced: str
) -> Iterator[Proxy]:
    """Run the shipped nginx in front of a service. replaced: as for `shipped`."""
    program, port, plain_port = programs.require("nginx"), free_port(), free_port()
    certificate = write_certificate(folder / "certificate.pem", days=1, name=HOST)
    home = folder / "nginx"
    home.mkdir()
    config = shipped(
        "nginx.conf",
        folder,
        **{
            "127.0.0.1:6543": f"127.0.0.1:{service.port}",
            "listen 80": f"listen 127.0.0.1:{plain_port}",
            "listen 443": f"listen {listen.format(port=port)}",
            # Where there may be no IPv6.
            "[::]:80": f"127.0.0.1:{free_port()}",
            "[::]:443": f"127.0.0.1:{free_port()}",
            f"/etc/letsencrypt/live/{HOST}/fullchain.pem": str(certificate),
            f"/etc/letsencrypt/live/{HOST}/privkey.pem": str(certificate),
            "/var/www/html": str(folder / "www"),
            "/var/log/nginx/": f"{home}/",
            **replaced,
        },
    )
    own = f"daemon off; pid {folder}/nginx.pid; error_log {home}/start.log;"
    if os.getuid() == 0:
        own += " user root;"
    command = (program, "-p", str(home), "-c", str(config), "-e", "stderr", "-g", own)
    with running(port, home / "output", *command):
        yield Proxy(port, plain_port, ssl.create_default_context(cafile=certificate), home)


@contextmanager
def behind_haproxy(services: list[Pserve], folder: Path) -> Iterator[Proxy]:
    """Run the shipped HAProxy in front of two services."""
    program, port, plain_port = programs.require("haproxy"), free_port(), free_port()
    certificate = write_certificate(folder / "certificate.pem", days=1, name=HOST)
    home = folder / "haproxy"
    home.mkdir()
    config = shipped(
        "haproxy.cfg",
        folder,
        **{
            "192.0.2.11:6543": f"127.0.0.1:{services[0].port}",
            "192.0.2.12:6543": f"127.0.0.1:{services[-1].port}",
            "bind :80\n": f"bind 127.0.0.1:{plain_port}\n",
            "bind :443": f"bind 127.0.0.1:{port}",
            # Where there may be no IPv6.
            "bind [::]:80 v6only": f"bind 127.0.0.1:{free_port()}",
            "bind [::]:443 v6only": f"bind 127.0.0.1:{free_port()}",
            "/etc/haproxy/forum.pem": str(certificate),
            "maxconn 8000": "maxconn 500",
            # Beside other tests a host that is alone may be slow for long.
            "timeout check 3s": "timeout check 30s",
        },
    )
    with running(port, home / "output", program, "-db", "-f", str(config)):
        proxy = Proxy(port, plain_port, ssl.create_default_context(cafile=certificate), home)
        wait_until(lambda: proxy.get("/health/live")[0] == 200, "a service is known to be ready")
        yield proxy
