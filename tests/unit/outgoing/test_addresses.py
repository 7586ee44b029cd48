"""A webhook is never sent into the operator's network, however its address is spelled."""

import socket
from typing import Any

import pytest

from forumsvc.outgoing.addresses import ForbiddenAddress, Target, parse_url, resolve
from tests.cases import each

SPELLINGS = """
    127.0.0.1 127.1 127.255.255.254 2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.1
    0 0.0.0.0 10.0.0.1 10.255.255.255 167772161 172.16.0.1 172.31.255.255 192.168.0.1 0xc0a80001
    169.254.169.254 2852039166 100.64.0.1 100.127.255.255 192.0.0.1 192.0.2.1 198.18.0.1 192.0.0.192
    198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 233.252.0.1
    [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1]
    [::ffff:169.254.169.254] [::ffff:0:127.0.0.1] [::127.0.0.1] [fe80::1] [febf::1] [fc00::1]
    [fd00::1] [fdff:ffff::1] [ff02::1] [ff0e::1] [fec0::1] [2002:7f00:1::] [2002:a00:1::]
    [2002:c0a8:1::1] [64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::a00:1]
    [2001:0:0:0:0:0:80ff:fffe] [2001:db8::1] [100::1] [5f00::1] [3fff::1] [1::1]
"""
PRIVATE_HOSTS = SPELLINGS.split()
"""Addresses that are not of the internet, in every spelling that `getaddrinfo` takes."""
PUBLIC_HOSTS = [
    *("1.1.1.1", "8.8.8.8", "16843009", "[2606:4700:4700::1111]", "[2002:101:101::1]"),
    *("[64:ff9b::808:808]", "example.org", "hooks.example.org", "xn--bcher-kva.example"),
]


@each("host", PRIVATE_HOSTS)
def test_a_private_address_is_refused_when_it_is_registered(host):
    with pytest.raises(ForbiddenAddress):
        parse_url(f"https://{host}/hook", allow_private=False)
    assert parse_url(f"http://{host}/hook", allow_private=True).port == 80


@each("host", PUBLIC_HOSTS)
def test_a_public_address_or_name_is_accepted(host):
    target = parse_url(f"https://{host}/hook?a=b", allow_private=False)
    assert target == Target("https", host.strip("[]"), 443)


@each(
    "url",
    [
        *("http://example.org/", "ftp://example.org/", "//example.org/", "example.org", ""),
        *("https://", "https:///path", "https://user@example.org/", "https://u:p@example.org/"),
        *("https://example.org:80/", "https://example.org:22/", "https://example.org:1023/"),
        *("https://example.org:0/", "https://example.org:65536/", "https://example.org:x/"),
        *(
            "https://exa mple.org/",
            "https://example.org/\n",
            "https://exämple.org/",
            "https://[::1/",
        ),
        *("https://example.org\\@127.0.0.1/", "https://-x.org/", "https://%31%32%37.0.0.1/"),
    ],
)
def test_a_url_that_could_mean_two_things_or_another_service_is_refused(url):
    with pytest.raises(ForbiddenAddress):
        parse_url(url, allow_private=False)


def _answer(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Let every name lead to these addresses."""

    def look_up(host: str, port: int, **options: Any) -> list[Any]:
        return [(0, 0, 0, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


@each(
    "addresses",
    [
        *(("127.0.0.1",), ("8.8.8.8", "10.0.0.1"), ("2606:4700::1", "::1"), ("fe80::1%eth0",)),
        ("::ffff:192.168.1.1",),
    ],
)
def test_a_name_with_any_private_address_is_refused_at_the_attempt(monkeypatch, addresses):
    _answer(monkeypatch, *addresses)
    target = parse_url("https://rebound.example.org/", allow_private=False)
    with pytest.raises(ForbiddenAddress):
        resolve(target, allow_private=False)
    assert resolve(target, allow_private=True) == addresses[0].partition("%")[0]


def test_the_address_that_was_checked_is_returned(monkeypatch):
    _answer(monkeypatch, "8.8.8.8", "8.8.4.4")
    target = parse_url("https://example.org/", allow_private=False)
    assert resolve(target, allow_private=False) == "8.8.8.8"


@each(
    ("url", "host", "authority"),
    [
        ("https://hooks.example.org./in", "hooks.example.org", "hooks.example.org"),
        ("https://hooks.example.org:8443/", "hooks.example.org", "hooks.example.org:8443"),
        ("https://[2606:4700::1]/", "2606:4700::1", "[2606:4700::1]"),
    ],
)
def test_the_host_is_as_a_certificate_names_it(url, host, authority):
    target = parse_url(url, allow_private=False)
    assert (target.host, target.authority) == (host, authority)
