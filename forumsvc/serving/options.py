"""The keys of `[server:main]`: parsed and checked."""

import difflib
import re
from collections.abc import Mapping
from configparser import ConfigParser
from dataclasses import dataclass
from typing import Any

import hupper  # type: ignore[import-untyped]
from waitress.adjustments import Adjustments

from forumsvc.serving import core_pinning
from forumsvc.serving.channel_times import TimeLimits
from forumsvc.serving.proxy import TrustedProxy

ADDRESS_KEYS = frozenset({"host", "port", "listen", "unix_socket", "unix_socket_perms"})
PROXY_KEYS = frozenset(
    {
        "trusted_proxy",
        "trusted_proxy_count",
        "trusted_proxy_headers",
        "log_untrusted_proxy_headers",
        "clear_untrusted_proxy_headers",
    }
)
_SECONDS = {
    "graceful_timeout": ("graceful_timeout", "30"),
    "drain_seconds": ("drain_seconds", "0"),
    "worker_timeout": ("worker_timeout_seconds", "90"),
}
CLIENT_TIMEOUTS = {
    "header_seconds": ("header_timeout_seconds", "20"),
    "body_seconds": ("body_timeout_seconds", "20"),
    "response_seconds": ("response_timeout_seconds", "30"),
}
"""For each option and each limit its key and default."""
_OWN_KEYS = (
    *("processes", "worker", "pin", "connections_per_address", "min_bytes_per_second"),
    *(key for key, _ in (*_SECONDS.values(), *CLIENT_TIMEOUTS.values())),
)
MAX_COUNT = 1_000_000_000
MAX_PROCESSES = 64
MAX_PORT = 65535


@dataclass(frozen=True)
class Options:
    """The options of the section.

    processes: the number of worker processes; worker: whether one more process does the
    application's background work; pin: whether each is pinned to a core of its own;
    graceful_timeout: seconds for requests in progress at the shutdown; drain_seconds: before it, in
    which connections are still accepted; worker_timeout: seconds
    without progress after which a worker is replaced, 0 for never.
    time_limits: for clients; connections_per_address: the limit in one process, 0 for none.
    trusted_proxy: whose headers about the client are believed.
    address: waitress's parsed keys, the listen addresses among them; waitress: the keys that are
    passed on to it.
    """

    processes: int
    worker: bool
    pin: bool
    graceful_timeout: float
    drain_seconds: float
    worker_timeout: float
    time_limits: TimeLimits
    connections_per_address: int
    trusted_proxy: TrustedProxy
    address: Any
    waitress: dict[str, str]

    @property
    def backlog(self) -> int:
        """How many connections may wait in the system's queue to be accepted."""
        return int(self.address.backlog)

    @classmethod
    def from_section(cls, keys: Mapping[str, str]) -> "Options":
        """Parse a section's keys. Raises SystemExit that names the first wrong one."""
        remaining = dict(keys)
        processes = _parse_processes(remaining.pop("processes", "1"))
        options: dict[str, Any] = {
            name: _parse_boolean(name, remaining.pop(name, "true")) for name in ("worker", "pin")
        }
        for name, (key, default) in _SECONDS.items():
            options[name] = _parse_seconds(key, remaining.pop(key, default))
        time_limits = TimeLimits(
            **{
                name: _parse_seconds(key, remaining.pop(key, default))
                for name, (key, default) in CLIENT_TIMEOUTS.items()
            },
            min_bytes_per_second=_pop_count(remaining, "min_bytes_per_second", "8000", minimum=1),
        )
        connections_per_address = _pop_count(remaining, "connections_per_address", "100", minimum=0)
        trusted_proxy = _parse_trusted_proxy(remaining.get("trusted_proxy", ""))
        address = _adjustments(remaining)
        if address.threads < 1:
            raise _option_error("threads", remaining["threads"], "at least 1 is needed")
        own_keys = ADDRESS_KEYS | PROXY_KEYS
        waitress_keys = {key: value for key, value in remaining.items() if key not in own_keys}
        return cls(
            processes=1 if hupper.is_active() else processes,
            **options,
            time_limits=time_limits,
            connections_per_address=connections_per_address,
            trusted_proxy=trusted_proxy,
            address=address,
            waitress=waitress_keys,
        )


def _parse_processes(value: str) -> int:
    """Parse the number of processes; `auto` means one for each core."""
    if value.strip() == "auto":
        return min(len(core_pinning.available_cores()), MAX_PROCESSES)
    allowed = f"auto or a number from 1 to {MAX_PROCESSES} is allowed"
    return _parse_count("processes", value, 1, MAX_PROCESSES, allowed)


def _parse_boolean(key: str, value: str) -> bool:
    try:
        return ConfigParser.BOOLEAN_STATES[value.strip().lower()]
    except KeyError:
        raise _option_error(key, value, "true or false is allowed") from None


def _parse_seconds(key: str, value: str) -> float:
    """Parse a number of seconds, at most an hour."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= 3600:
        raise _option_error(key, value, "seconds from 0 to 3600 are allowed")
    return seconds


def _pop_count(keys: dict[str, str], key: str, default: str, *, minimum: int) -> int:
    """Remove a key with an integer value of at least `minimum` and return the value."""
    allowed = f"a whole number from {minimum} to {MAX_COUNT} is allowed"
    return _parse_count(key, keys.pop(key, default), minimum, MAX_COUNT, allowed)


def _parse_count(key: str, value: str, minimum: int, maximum: int, allowed: str) -> int:
    digits = value.strip()
    if re.fullmatch("[0-9]{1,10}", digits) and minimum <= int(digits) <= maximum:
        return int(digits)
    raise _option_error(key, value, allowed)


def _parse_trusted_proxy(value: str) -> TrustedProxy:
    try:
        return TrustedProxy(value or None)
    except ValueError:
        allowed = "an IP address, a network such as 10.0.0.0/24, localhost or * is allowed"
        raise _option_error("trusted_proxy", value, allowed) from None


def _adjustments(keys: Mapping[str, str]) -> Any:
    """Let waitress parse its own keys."""
    known = [name for name, _ in Adjustments._params]
    for key in keys:
        if key not in known and (close := difflib.get_close_matches(key, [*_OWN_KEYS, *known], 1)):
            raise SystemExit(f"[server] {key}: there is no such key; did you mean {close[0]}?")
    for key in ("port", "listen"):
        for address in keys.get(key, "").split():
            port = address.rpartition(":")[2]
            # Above the highest port the system's resolver wraps around to 0.
            if re.fullmatch("[0-9]+", port) and (len(port) > 9 or int(port) > MAX_PORT):
                raise _option_error(key, keys[key], f"a port is at most {MAX_PORT}")
    try:
        return Adjustments(**keys)
    except ValueError as error:
        # The error of int() contains the value but not the key.
        culprits = [
            f"{key} = {value}: " for key, value in keys.items() if repr(value) in str(error)
        ]
        raise SystemExit(f"[server] {''.join(culprits[:1])}{error}") from None


def _option_error(key: str, value: str, allowed: str) -> SystemExit:
    """Return the exception that ends the start with a message of one line."""
    return SystemExit(f"[server] {key} = {value}: {allowed}.")
