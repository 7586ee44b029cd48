"""The client's address behind a proxy."""

import os
import socket

import pytest

from tests.system.process import PATIENCE
from tests.system.pserve import pserve

BEHIND_A_PROXY = {"trusted_proxy": "127.0.0.0/8", "trusted_proxy_headers": "x-forwarded-for"}
ADDRESSES = {
    "198.51.100.7": "198.51.100.7",
    "198.51.100.7:4711": "198.51.100.7",
    "::ffff:198.51.100.7": "198.51.100.7",
    "::FFFF:c633:6407": "198.51.100.7",
    "[::ffff:198.51.100.7]": "198.51.100.7",
    "[::ffff:198.51.100.7]:4711": "198.51.100.7",
    '"[::ffff:198.51.100.7]:4711"': "198.51.100.7",
    "2001:db8:1:2::9": "2001:db8:1:2::9",
    "2001:0DB8:1:2:0::9": "2001:db8:1:2::9",
    "[2001:db8:1:2::9]": "2001:db8:1:2::9",
    "[2001:db8:1:2::9]:80": "2001:db8:1:2::9",
    "203.0.113.1, ::ffff:198.51.100.7": "198.51.100.7",
    "unknown": "unknown",
}
"""What a proxy may say, and the address that counts."""


def test_each_way_to_write_an_address_is_one_client(tmp_path):
    with pserve(tmp_path, **BEHIND_A_PROXY) as server:
        seen = {
            written: server.get("/", **{"X-Forwarded-For": written}).json["address"]
            for written in ADDRESSES
        }
    assert seen == ADDRESSES


def test_the_address_of_the_header_forwarded_is_normal(tmp_path):
    keys = {**BEHIND_A_PROXY, "trusted_proxy_headers": "forwarded"}
    with pserve(tmp_path, **keys) as server:
        for written, address in (
            ('"[::ffff:198.51.100.7]:4711"', "198.51.100.7"),
            ('"[2001:db8::9]"', "2001:db8::9"),
        ):
            answer = server.get("/", Forwarded=f"for={written}")
            assert answer.json["address"] == address


@pytest.mark.parametrize("trusted", ["127.0.0.1", pytest.param("*", marks=pytest.mark.extended)])
def test_the_trusted_proxy_is_believed(tmp_path, trusted):
    with pserve(tmp_path, **{**BEHIND_A_PROXY, "trusted_proxy": trusted}) as server:
        answer = server.get("/", **{"X-Forwarded-For": "198.51.100.7"})
    assert answer.json["address"] == "198.51.100.7"


def test_a_proxy_at_a_unix_socket_is_on_this_machine(tmp_path):
    path = f"/tmp/forumsvc-proxy-{os.getpid()}.sock"  # noqa: S108 - tmp_path may be too long for it
    with (
        pserve(tmp_path, **{**BEHIND_A_PROXY, "trusted_proxy": "127.0.0.1", "unix_socket": path}),
        socket.socket(socket.AF_UNIX) as client,
    ):
        client.settimeout(PATIENCE)
        client.connect(path)
        client.sendall(b"GET / HTTP/1.0\r\nX-Forwarded-For: 198.51.100.7\r\n\r\n")
        with client.makefile("rb") as answer:
            assert b'"address": "198.51.100.7"' in answer.read()
    os.remove(path)


@pytest.mark.parametrize("trusted", ["127.0.0.2", pytest.param("::1", marks=pytest.mark.extended)])
def test_nobody_else_is_believed(tmp_path, trusted):
    with pserve(tmp_path, **{**BEHIND_A_PROXY, "trusted_proxy": trusted}) as server:
        answer = server.get("/", **{"X-Forwarded-For": "198.51.100.7"})
    assert answer.json["address"] == "127.0.0.1"
