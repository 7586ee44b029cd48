"""The keys of `[server:main]`: a wrong one stops the start with one line."""

import socket

import pytest

from forumsvc.serving import server_factory
from forumsvc.serving.options import Options
from tests.cases import each
from tests.system.process import PATIENCE
from tests.system.pserve import start

WRONG = [
    ("processes", "0", "auto or a number from 1 to 64 is allowed"),
    ("processes", "²", "auto or a number from 1 to 64 is allowed"),
    pytest.param("processes", "9" * 5000, "auto or a number from 1 to 64 is allowed", id="digits"),
    ("pin", "maybe", "true or false is allowed"),
    ("graceful_timeout", "-1", "seconds from 0 to 3600 are allowed"),
    ("header_timeout_seconds", "nan", "seconds from 0 to 3600 are allowed"),
    ("body_timeout_seconds", "soon", "seconds from 0 to 3600 are allowed"),
    ("response_timeout_seconds", "inf", "seconds from 0 to 3600 are allowed"),
    ("worker_timeout_seconds", "nan", "seconds from 0 to 3600 are allowed"),
    ("min_bytes_per_second", "0", "a whole number from 1 to 1000000000 is allowed"),
    ("connections_per_address", "many", "a whole number from 0 to 1000000000 is allowed"),
    ("trusted_proxy", "proxy.example.org", "an IP address, a network such as 10.0.0.0/24, "),
    ("trusted_proxy", "10.0.0.1/8", "an IP address, a network such as 10.0.0.0/24, "),
    ("trusted_proxy", "10.0.0.1 10.0.0.2", "an IP address, a network such as 10.0.0.0/24, "),
    ("threads", "0", "at least 1 is needed"),
    ("threads", "many", "invalid literal for int()"),
]


@each(("key", "value", "reason"), WRONG)
def test_a_wrong_value_is_refused_by_its_key(key, value, reason):
    with pytest.raises(SystemExit) as refused:
        server_factory({}, listen="127.0.0.1:0", **{key: value})
    line = str(refused.value)
    assert line.startswith(f"[server] {key} = {value}: {reason}")
    assert "\n" not in line


def test_an_unknown_key_is_refused():
    with pytest.raises(SystemExit, match="thread_count"):
        server_factory({}, listen="127.0.0.1:0", thread_count="8")


@each(("key", "meant"), [("thread", "threads"), ("proceses", "processes"), ("lisen", "listen")])
def test_a_misspelt_key_is_named_with_what_was_meant(key, meant):
    with pytest.raises(SystemExit, match=rf"{key}: .* did you mean {meant}\?"):
        server_factory({}, **{key: "8"})


def test_an_address_that_is_none_is_refused():
    with pytest.raises(SystemExit, match=r"Invalid host/port"):
        server_factory({}, listen="127.0.0.1:no-such-service")


@pytest.mark.parametrize(
    ("key", "value"), [("port", "9" * 5000), ("listen", "127.0.0.1:0 [::1]:70000")]
)
def test_a_port_that_there_is_not_is_refused(key, value):
    with pytest.raises(SystemExit) as refused:
        server_factory({}, **{key: value})
    assert str(refused.value) == f"[server] {key} = {value}: a port is at most 65535."


def test_defaults_are_one_pinned_process():
    options = Options.from_section({})
    assert (options.processes, options.pin, options.graceful_timeout) == (1, True, 30.0)


def test_waitress_gets_all_its_keys_but_the_address():
    options = Options.from_section({"port": "0", "threads": "8", "ident": "", "pin": "no"})
    assert options.waitress == {"threads": "8", "ident": ""}


def test_pserve_ends_with_one_line_before_the_application_is_made(tmp_path):
    server = start(tmp_path, processes="many")
    assert server.process.wait(PATIENCE) == 1
    assert server.log.count("\n") == 1
    assert "processes = many" in server.log
    assert not (server.notes / "made").exists()


def test_a_taken_address_ends_pserve_with_one_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = start(tmp_path, listen=f"127.0.0.1:{port}")
        assert server.process.wait(PATIENCE) == 1
    assert server.log == f"[server] 127.0.0.1:{port}: Address already in use.\n"
