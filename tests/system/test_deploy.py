"""The shipped files in real programs: nginx, HAProxy, logrotate and systemd."""

import http.client
import json
import os
import re
import shlex
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import func, select

from forumsvc.db.engine import Database
from forumsvc.models import Reply
from tests import programs
from tests.databases import on_sqlite
from tests.functional.cli.conftest import run_command
from tests.functional.doctor.tls import write_certificate
from tests.functional.forum import API
from tests.functional.test_photos import picture
from tests.system.forum_process import prepare, serving
from tests.system.process import PATIENCE, prepare_child, wait_until
from tests.system.pserve import ROOT, Pserve

DEPLOY = ROOT / "deploy"
HOST = "forum.example.org"
"""The host in the shipped files."""


def free_port() -> int:
    """Return a port that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@contextmanager
def running(port: int, *command: str) -> Iterator[None]:
    """Run a proxy until it answers on its port, and kill it afterwards."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, preexec_fn=prepare_child, stderr=subprocess.STDOUT
    )

    def answers() -> bool:
        assert process.poll() is None, "the proxy has ended: see its output"
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", port)) == 0

    try:
        wait_until(answers, f"{command[0]} answers")
        yield
    finally:
        process.terminate()
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
class Nginx:
    """A running nginx: its ports, and a context that trusts its certificate."""

    port: int
    plain_port: int
    tls: ssl.SSLContext

    def get(self, path: str, source: str = "", **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Request a path by HTTPS, as `get` does."""
        return get(self.port, path, self.tls, source, **{"Host": HOST, **headers})


@contextmanager
def behind_nginx(
    service: Pserve, folder: Path, listen: str = "127.0.0.1:{port}"
) -> Iterator[Nginx]:
    """Run the shipped nginx in front of a service."""
    program, port, plain_port = programs.require("nginx"), free_port(), free_port()
    certificate = write_certificate(folder / "certificate.pem", days=1, name=HOST)
    config = shipped(
        "nginx.conf",
        folder,
        **{
            "127.0.0.1:6543": f"127.0.0.1:{service.port}",
            "listen 80": f"listen 127.0.0.1:{plain_port}",
            "listen 443": f"listen {listen.format(port=port)}",
            f"/etc/letsencrypt/live/{HOST}/fullchain.pem": str(certificate),
            f"/etc/letsencrypt/live/{HOST}/privkey.pem": str(certificate),
            "/var/www/html": str(folder / "www"),
            "/var/cache/nginx/forumsvc": str(folder / "cache"),
        },
    )
    home = folder / "nginx"
    home.mkdir()
    own = f"daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;"
    if os.getuid() == 0:
        own += " user root;"
    with running(port, program, "-p", str(home), "-c", str(config), "-e", "stderr", "-g", own):
        yield Nginx(port, plain_port, ssl.create_default_context(cafile=certificate))


@on_sqlite
def test_nginx_serves_the_forum_and_keeps_its_photos(
    database_url: str, database: Database, tmp_path: Path
) -> None:
    scene = prepare(database_url, database, tmp_path)
    with (
        serving(tmp_path, database_url, photos__dir=str(tmp_path / "photos")) as service,
        behind_nginx(service, tmp_path) as nginx,
    ):
        assert nginx.get(f"{API}/topics")[0] == 200
        assert nginx.get("/metrics")[0] == 403
        photo = upload(nginx, scene.people[0].token or "")
        found = [nginx.get(photo) for _ in range(2)]
        assert [status for status, _, _ in found] == [200, 200]
        assert [headers["x-cache-status"] for _, headers, _ in found] == ["MISS", "HIT"]
        assert found[0][2] == found[1][2]
        # What a client says of itself is replaced.
        seen = nginx.get(f"{API}/topics", **{"X-Forwarded-Host": "evil.example"})
        assert "evil.example" not in str(seen)


@on_sqlite
def test_nginx_speaks_https_tells_the_service_so_and_sends_http_there(
    database_url: str, database: Database, tmp_path: Path
) -> None:
    prepare(database_url, database, tmp_path)
    challenge = tmp_path / "www/.well-known/acme-challenge/token"
    challenge.parent.mkdir(parents=True)
    challenge.write_text("proof")
    challenge.chmod(0o644)
    shipped_ini = (ROOT / "production.ini").read_text()
    trust = "\n".join(re.findall(r"(?m)^(?:trusted_proxy|clear_untrusted).*$", shipped_ini))
    with (
        serving(tmp_path, database_url, server=trust) as service,
        behind_nginx(service, tmp_path) as nginx,
    ):
        link = nginx.get(f"{API}/topics?limit=1")[1]["link"]
        assert link.startswith(f"<https://{HOST}")
        cookie = nginx.get("/login")[1]["set-cookie"]
        assert "secure" in cookie.lower().split("; ")
        status, headers, _ = get(nginx.plain_port, "/topics/1?page=2", Host="other.example")
        assert (status, headers["location"]) == (301, f"https://{HOST}/topics/1?page=2")
        assert get(nginx.plain_port, f"/{challenge.relative_to(tmp_path / 'www')}")[2] == b"proof"
        nginx.tls.set_alpn_protocols(["h2"])
        with connect(nginx.port, nginx.tls).sock as spoken:
            assert isinstance(spoken, ssl.SSLSocket)
            assert spoken.selected_alpn_protocol() == "h2"


@on_sqlite
def test_a_block_holds_a_client_of_ipv4_where_nginx_listens_to_both_at_one_socket(
    database_url: str, database: Database, tmp_path: Path
) -> None:
    prepare(database_url, database, tmp_path)
    trust = "trusted_proxy = 127.0.0.1\ntrusted_proxy_headers = x-forwarded-for\n"
    with (
        serving(tmp_path, database_url, server=trust) as service,
        behind_nginx(service, tmp_path, "[::]:{port} ipv6only=off") as nginx,
    ):
        words = ("access", "block", "127.9.0.0/16", "--severity", "all", "--reason", "Spam")
        assert run_command("-c", tmp_path / "forum.ini", *words, "--force").code == 0
        path = f"{API}/topics"
        wait_until(lambda: nginx.get(path, source="127.9.0.7")[0] == 403, "the block is known")
        assert nginx.get(path, source="127.8.0.7")[0] == 200
        assert " ::ffff:" not in service.log


def upload(nginx: Nginx, token: str) -> str:
    """Upload a photo and return the path of its address."""
    body = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n'
        b"Content-Type: image/png\r\n\r\n" + picture() + b"\r\n--b--\r\n"
    )
    connection = connect(nginx.port, nginx.tls)
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "multipart/form-data; boundary=b",
    }
    connection.request("POST", f"{API}/photos", body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    assert answer.status in (200, 201), text
    found = re.search(r"/photos/[^\"]+", text)
    assert found
    return found[0]


@contextmanager
def behind_haproxy(services: list[Pserve], folder: Path) -> Iterator[int]:
    """Run the shipped HAProxy in front of two services; yield its port."""
    program, port = programs.require("haproxy"), free_port()
    config = shipped(
        "haproxy.cfg",
        folder,
        **{
            "192.0.2.11:6543": f"127.0.0.1:{services[0].port}",
            "192.0.2.12:6543": f"127.0.0.1:{services[1].port}",
            "bind :80": f"bind 127.0.0.1:{port}",
            "maxconn 8000": "maxconn 500",
        },
    )
    with running(port, program, "-db", "-f", str(config)):
        wait_until(lambda: get(port, "/health/live")[0] == 200, "a service is known to be ready")
        yield port


@on_sqlite
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_behind_haproxy_the_end_of_one_service_fails_no_get_and_doubles_no_reply(
    database_url: str, database: Database, tmp_path: Path, number: signal.Signals
) -> None:
    scene = prepare(database_url, database, tmp_path)
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    with (
        serving(folders[0], database_url, worker=False, processes=2, drain_seconds=5) as first,
        serving(folders[1], database_url, worker=False, processes=2) as second,
        behind_haproxy([first, second], tmp_path) as port,
    ):
        over = threading.Event()
        statuses: list[int] = []
        replied: list[int] = []

        def ask() -> None:
            while not over.is_set():
                statuses.append(get(port, f"{API}/topics")[0])

        def reply(token: str) -> None:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            path = f"{API}/topics/{scene.topics[0]}/replies"
            turn = 0
            while not over.is_set():
                headers = {
                    "Authorization": f"Bearer {token}",
                    "Content-Type": "application/json",
                    "Idempotency-Key": f"reply-{turn}",
                }
                body = json.dumps({"body": f"Reply {turn}"})
                try:
                    connection.request("POST", path, body, headers)
                    answer = connection.getresponse()
                    answer.read()
                except (OSError, http.client.HTTPException):
                    # The service was killed while it answered: sent once more with the same key.
                    connection.close()
                else:
                    replied.append(answer.status)
                    turn += 1
            connection.close()

        threads = [threading.Thread(target=ask) for _ in range(4)]
        threads += [threading.Thread(target=reply, args=(one.token,)) for one in scene.people]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(statuses) > 100 and len(replied) > 10, "requests are answered")
        workers = first.workers()
        first.process.send_signal(number)
        if number == signal.SIGKILL:
            for pid in workers:
                os.kill(pid, number)
        first.process.wait(PATIENCE)
        answered, written = len(statuses), len(replied)
        wait_until(
            lambda: len(statuses) > answered + 200 and len(replied) > written + 10,
            "the other service answers alone",
        )
        over.set()
        for thread in threads:
            thread.join()
        assert set(statuses) == {200}
        assert set(replied) == {201}
    with database.reads.connect() as db:
        assert db.scalar(select(func.count()).select_from(Reply)) == len(replied)


def test_logrotate_takes_its_file(tmp_path: Path) -> None:
    program = programs.require("logrotate")
    config = shipped("logrotate.conf", tmp_path, **{"    su forum forum\n": ""})
    config.chmod(0o600)
    command = [program, "-d", "-s", str(tmp_path / "state"), str(config)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr.lower()


@pytest.mark.parametrize(
    ("unit", "most"), [("forumsvc.service", 2.0), ("forumsvc-backup.service", 3.0)]
)
def test_systemd_takes_its_units_and_finds_them_safe(
    tmp_path: Path, unit: str, most: float
) -> None:
    program = programs.require("systemd-analyze")
    for name in (unit, "forumsvc.socket", "forumsvc-backup.timer"):
        text = (DEPLOY / name).read_text()
        # systemd looks for the program.
        (tmp_path / name).write_text(re.sub(r"(?m)^(ExecStart\w*=)\S+", r"\1/bin/true", text))
    units = [str(tmp_path / unit)]
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"}
    checked = subprocess.run(
        [program, "verify", "--man=no", *units],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert "forumsvc" not in checked.stderr
    found = subprocess.run(
        [program, "security", "--offline=true", *units],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    level = re.search(r"exposure level for \S+: ([\d.]+)", found.stdout)
    assert level, found.stderr
    assert float(level[1]) <= most


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("", "", "Nothing is wrong."),
        ("[app:main]", "[app:main", "File contains no section headers"),
        ("use = egg:forumsvc\n", 2 * "use = egg:forumsvc\n", "option 'use'"),
        ("level = INFO", "level = INF", "Unknown level: 'INF'"),
    ],
)
def test_systemd_finds_a_mistake_in_the_ini_file_before_the_start_without_the_database(
    tmp_path: Path, right: str, wrong: str, told: str
) -> None:
    ini = tmp_path / "production.ini"
    ini.write_text((ROOT / "production.ini").read_text().replace(right, wrong, 1))
    unit = (DEPLOY / "forumsvc.service").read_text()
    [before] = re.findall(r"(?m)^ExecStartPre=(.*)$", unit)
    programs_here = str(Path(sys.executable).parent)
    before = before.replace("/srv/forum/bin", programs_here).replace("/srv/forum", str(tmp_path))
    done = subprocess.run(
        shlex.split(before),
        env={
            "SITE_URL": "https://forum.example.org",
            "DATABASE_URL": "postgresql://forum@127.0.0.1:1/forum",
            "SESSION_SECRET": "a secret that these tests made up, long enough",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    lines = [line for line in (done.stdout + done.stderr).splitlines() if told in line]
    assert len(lines) == 1
    assert done.returncode == (1 if wrong else 0)
    assert "Traceback" not in done.stderr
