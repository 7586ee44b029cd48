"""The shipped nginx and HAProxy in front of the service: what passes, what is kept and logged."""

import http.client
import json
import os
import signal
import socket
import ssl
import threading
from contextlib import ExitStack, closing, suppress
from typing import Any

import pytest
from sqlalchemy import func, select

from forumsvc.models import Reply
from tests.databases import on_sqlite
from tests.functional.cli.conftest import run_command
from tests.functional.forum import API
from tests.system.forum_process import prepare, serving
from tests.system.process import PATIENCE, wait_until
from tests.system.proxies import HOST, TRUST, behind_haproxy, behind_nginx, connect, get

pytestmark = on_sqlite

PROXIES: dict[str, Any] = {
    "nginx": behind_nginx,
    "haproxy": lambda service, folder: behind_haproxy([service], folder),
}
SECRETS = (
    "/password/reset?reset_token=Secret1",
    "/account/email/confirm?confirmation_token=Secret2",
    f"{API}/topics?access_token=Secret3",
    "/applications?code=Secret4",
    f"/photos/aa/{'a' * 64}.png?access_token=Secret5",
)
DENIED = (
    *("/metrics", "/metrics/", "/metrics?x", "/metrics%3Fx", "/metrics%0a", "/metrics%0A%0a"),
    *("/metrics%0d", "/metrics%c2%85", "/metrics%20", "/metrics;x", "/%6detrics"),
)
"""What a proxy keeps from the service."""
ODD = ("//metrics", "/%2fmetrics", "/./metrics", "/x/../metrics", "/x%2f..%2fmetrics")


@pytest.mark.parametrize("name", PROXIES)
def test_no_proxy_writes_what_stands_in_queries_and_referers_or_keeps_a_deleted_photo(
    database_url, database, tmp_path, name
):
    token = prepare(database_url, database, tmp_path).people[0].token or ""
    photos = str(tmp_path / "photos")
    with (
        serving(tmp_path, database_url, server=TRUST, photos__dir=photos) as service,
        PROXIES[name](service, tmp_path) as proxy,
    ):
        photo = proxy.upload(token)
        for path in (*SECRETS, f"{photo}?access_token=Secret6"):
            proxy.get(path, Referer=f"https://{HOST}/?reset_token=Secret7")
            get(proxy.plain_port, path, Referer=f"https://{HOST}/?reset_token=Secret7")
        authorized = {"Authorization": f"Bearer {token}"}
        [listed] = json.loads(proxy.get(f"{API}/photos", **authorized)[2])
        assert [proxy.get(photo)[0] for _ in range(3)] == [200, 200, 200]
        assert proxy.send("DELETE", f"{API}/photos/{listed['id']}", **authorized)[0] == 200
        assert proxy.get(photo)[0] == 404
        large = {"Content-Length": "12000001"}
        status = proxy.send("POST", f"{API}/topics?access_token=Secret8", **large)[0]
        assert status == 413
        service.stop()
        assert proxy.get(SECRETS[0], Referer=f"https://{HOST}/?code=Secret9")[0] in (502, 503)
        log = service.log
    written = proxy.written()
    assert " 413 " in written
    assert "POST" in written
    assert all(path.partition("?")[0] in written for path in SECRETS)
    assert "Secret" not in written + log


@pytest.mark.parametrize("name", PROXIES)
def test_a_proxy_speaks_https_tells_the_service_so_and_sends_http_there(
    database_url, database, tmp_path, name
):
    prepare(database_url, database, tmp_path)
    challenge = tmp_path / "www/.well-known/acme-challenge/token"
    challenge.parent.mkdir(parents=True)
    challenge.write_text("proof")
    challenge.chmod(0o644)
    with (
        serving(tmp_path, database_url, server=TRUST, metrics__enabled="true") as service,
        PROXIES[name](service, tmp_path) as proxy,
    ):
        evil = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http"}
        status, headers, _ = proxy.get(f"{API}/topics?limit=1", **evil)
        assert headers["link"].startswith(f"<https://{HOST}")
        cookie = proxy.get("/login")[1]["set-cookie"]
        assert "secure" in cookie.lower().split("; ")
        assert b"forumsvc_" in get(service.port, "/metrics")[2]
        for path in (*DENIED, *ODD, "/topics", "/photos/none"):
            status, headers, body = proxy.get(path)
            assert status == 403 or path not in DENIED
            assert b"forumsvc_" not in body
            assert headers["strict-transport-security"] == "max-age=31536000"
        status, headers, _ = get(proxy.plain_port, "/topics/1?page=2", Host="other.example")
        assert (status, headers["location"]) == (301, f"https://{HOST}/topics/1?page=2")
        assert "strict-transport-security" not in headers
        proof = get(proxy.plain_port, f"/{challenge.relative_to(tmp_path / 'www')}")[2]
        assert (proof == b"proof") is (name == "nginx"), "certbot's proof needs no HTTPS"
        proxy.tls.set_alpn_protocols(["h2"])
        with connect(proxy.port, proxy.tls).sock as spoken:
            assert isinstance(spoken, ssl.SSLSocket)
            assert spoken.selected_alpn_protocol() == "h2"


def test_a_block_holds_a_client_of_ipv4_where_nginx_listens_to_both_at_one_socket(
    database_url, database, tmp_path
):
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


def test_nginx_counts_the_requests_under_way_of_an_ipv6_network_as_those_of_one_client(
    database_url, database, tmp_path
):
    prepare(database_url, database, tmp_path)
    # Clients of this machine may say here who they are.
    here = "limit_conn forumsvc 1; set_real_ip_from 127.0.0.1; real_ip_header X-Client"
    with (
        serving(tmp_path, database_url) as service,
        behind_nginx(service, tmp_path, **{"limit_conn forumsvc 100": here}) as nginx,
        closing(nginx.connect()) as slow,
    ):

        def status(client: str) -> int:
            return nginx.get("/health/live", **{"X-Client": client})[0]

        slow.putrequest("POST", f"{API}/topics", skip_host=True)
        for name, value in (("Host", HOST), ("X-Client", "2001:db8::1"), ("Content-Length", "9")):
            slow.putheader(name, value)
        slow.endheaders()
        wait_until(lambda: status("2001:db8::2:1") == 503, "the request is under way")
        assert [status(one) for one in ("2001:db8:0:1::1", "192.0.2.1")] == [200, 200]


def test_haproxy_closes_what_one_address_opens_beyond_a_hundred_connections(
    database_url, database, tmp_path
):
    prepare(database_url, database, tmp_path)
    with (
        serving(tmp_path, database_url) as service,
        behind_haproxy([service], tmp_path) as proxy,
    ):

        def is_served() -> bool:
            try:
                return proxy.get("/health/live", source="127.0.0.9")[0] == 200
            except OSError:
                return False

        with ExitStack() as held:

            def hold(number: int) -> None:
                """Open connections that say nothing, so that no request is counted."""
                for _ in range(number):
                    place = ("127.0.0.1", proxy.port), PATIENCE, ("127.0.0.9", 0)
                    with suppress(ConnectionError):  # refused, as they shall be
                        held.enter_context(socket.create_connection(*place))

            hold(100)
            for _ in range(100):  # HAProxy closes the silent ones of a slow test
                if not is_served():
                    break
                hold(1)
            else:
                pytest.fail("two hundred connections of one address are served")
            assert proxy.get("/health/live", source="127.0.0.8")[0] == 200

        wait_until(is_served, "the address is served again")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_behind_haproxy_the_end_of_one_service_fails_no_get_and_doubles_no_reply(
    database_url, database, tmp_path, number
):
    scene = prepare(database_url, database, tmp_path)
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    with (
        serving(folders[0], database_url, worker=False, processes=2, drain_seconds=5) as first,
        serving(folders[1], database_url, worker=False, processes=2) as second,
        behind_haproxy([first, second], tmp_path) as proxy,
    ):
        over = threading.Event()
        statuses: list[int] = []
        cut_off: list[http.client.IncompleteRead] = []
        replied: list[int] = []

        def ask() -> None:
            while not over.is_set():
                try:
                    statuses.append(proxy.get(f"{API}/topics")[0])
                except http.client.IncompleteRead as error:
                    cut_off.append(error)

        def reply(token: str) -> None:
            connection = proxy.connect()
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
                    connection = proxy.connect()
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
        # What was killed while it sent an answer, no proxy can ask another service for.
        assert len(cut_off) <= (4 if number == signal.SIGKILL else 0)
        assert set(replied) == {201}
    with database.reads.connect() as db:
        assert db.scalar(select(func.count()).select_from(Reply)) == len(replied)
