"""A client's connection."""

from typing import Any

from forumsvc.serving.channel import Channel


def test_an_error_in_a_request_behind_another_closes_its_connection_alone(monkeypatch):
    channel: Any = Channel.__new__(Channel)
    channel._unparsed, channel.requests, channel.total_outbufs_len = b"GET", [], 0
    handled: list[BaseException | None] = []

    def fail(data: bytes) -> bool:
        raise FileNotFoundError("no place for the body")

    monkeypatch.setattr(channel, "received", fail)
    monkeypatch.setattr(channel, "handle_error", lambda: handled.append(None))
    assert channel.readable() is False
    assert len(handled) == 1
