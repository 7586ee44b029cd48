"""`forumsvc doctor`: the address of the service, its proxy and its certificate."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from forumsvc.doctor import site as site_area
from tests.databases import on_sqlite
from tests.functional.doctor.conftest import Examined
from tests.functional.doctor.tls import Site, serving, write_certificate

PROXY = {
    "trusted_proxy": "127.0.0.1",
    "trusted_proxy_headers": "x-forwarded-for x-forwarded-proto",
}

pytestmark = on_sqlite


@pytest.fixture
def site() -> Iterator[Site]:
    """A site without TLS."""
    with serving() as served:
        yield served


def of_site(examined: Examined) -> list[tuple[str, str]]:
    """Return the level and message of each finding about the site."""
    return [(level, message) for level, area, message in examined.findings if area == "site"]


def test_a_site_that_answers_on_this_machine_is_worth_knowing_in_development(examine, site):
    [(level, message)] = of_site(examine(site__url=site.url))
    assert (level, "no other machine reaches it" in message) == ("info", True)


@pytest.mark.parametrize(
    ("status", "headers", "answer"),
    [
        (404, {}, "404"),
        (503, {}, "503"),
        (301, {"Location": "https://a.example.org/"}, "301 and leads to https://a.example.org/"),
    ],
)
def test_a_site_that_does_not_answer_as_the_service_is_an_error(
    examine, site, status, headers, answer
):
    site.answers["/health/live"] = (status, headers)
    found = examine(site__url=site.url).only("error", "site")
    assert found.startswith(f"{site.url}/health/live answers {answer}: it must be 200")


def test_a_refused_connection_an_unknown_name_and_silence_are_told_apart(examine, monkeypatch):
    monkeypatch.setattr(site_area, "_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for scheme in ("http", "https"):
            found = examine(site__url=f"{scheme}://127.0.0.1:{port}").only("error", "site")
            assert "timed out" in found
    for scheme in ("http", "https"):
        found = examine(site__url=f"{scheme}://127.0.0.1:{port}").only("error", "site")
        assert "refused" in found

    resolve = socket.getaddrinfo

    def resolve_others(host: str, *args: Any, **options: Any) -> Any:
        if host == "nowhere.localhost":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return resolve(host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve_others)
    for scheme in ("http", "https"):
        found = examine(site__url=f"{scheme}://nowhere.localhost").only("error", "site")
        assert "not known" in found


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every site answer, so that nothing leaves this machine."""
    monkeypatch.setattr(site_area, "_check_answers", lambda url: iter(()))
    monkeypatch.setattr(site_area, "_check_certificate", lambda *args: iter(()))


@pytest.mark.usefixtures("answering")
def test_a_public_site_without_https_is_a_warning(examine):
    found = examine(site__url="http://forum.example.org").only("warning", "site")
    assert found.startswith("site.url begins with http://")


@pytest.mark.usefixtures("answering")
def test_a_server_that_hears_no_client_address_from_its_proxy_is_a_warning(examine):
    url = "https://forum.example.org"
    for server in ({}, {**PROXY, "trusted_proxy_headers": "x-forwarded-proto"}):
        found = examine(server=server, site__url=url).only("warning", "site")
        assert "all clients have the proxy's address" in found
    assert examine(server=PROXY, site__url=url).faults == []


@pytest.mark.parametrize(
    ("days", "level", "message"),
    [
        (30, None, ""),
        (20, "warning", "ends in 20 days"),
        (-1, "error", "has expired: renew it"),
    ],
)
def test_a_certificate_that_ends_soon_is_a_warning_and_an_expired_one_an_error(
    examine, tmp_path, monkeypatch, days, level, message
):
    file = write_certificate(tmp_path / "site.pem", days + 0.01)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with serving(file) as served:
        examined = examine(site__url=served.url)
    if level is None:
        assert examined.faults == []
    else:
        assert message in examined.only(level, "site")


def test_a_certificate_that_nobody_trusts_or_of_another_name_is_an_error(
    examine, tmp_path, monkeypatch
):
    file = write_certificate(tmp_path / "site.pem", 90, "other.example.org")
    with serving(file) as served:
        found = examine(site__url=served.url).only("error", "site")
        assert "is not accepted: self-signed certificate" in found
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        found = examine(site__url=served.url).only("error", "site")
        assert "is not accepted: Hostname mismatch" in found
