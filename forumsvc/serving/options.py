"""The keys of `[server:main]`, checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import hupper  # type: ignore[import-untyped]
from waitress.adjustments import Adjustments

from forumsvc.serving import core_pinning
from forumsvc.serving.channel_times import TimeLimits

ADDRESS_KEYS = frozenset({"host", "port", "listen", "unix_socket", "unix_socket_perms"})
CLIENT_TIMES = {
    "header_seconds": ("header_timeout_seconds", "20"),
    "body_seconds": ("body_timeout_seconds", "20"),
    "response_seconds": ("response_timeout_seconds", "30"),
}
"""Of each limit the key and its default."""
MOST = 1_000_000_000
MOST_PROCESSES = 64
LAST_PORT = 65535
BOOLEANS = {"true": True, "yes": True, "on": True, "1": True} | {
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


@dataclass(frozen=True)
class Options:
    """What the section says.

    processes: how many serve; pin: whether each stays on a core of its own; graceful_timeout:
    seconds for requests under way at the end; worker_timeout: seconds without progress after which
    a worker is replaced, 0 for never.
    time_limits: for clients; connections_per_address: the most in one process, 0 for no limit.
    address: waitress's own reading of where to listen; waitress: its other keys.
    """

    processes: int
    pin: bool
    graceful_timeout: float
    worker_timeout: float
    time_limits: TimeLimits
    connections_per_address: int
    address: Any
    waitress: dict[str, str]

    @property
    def backlog(self) -> int:
        """How many connections wait in the system's queue to be accepted."""
        return int(self.address.backlog)

    @classmethod
    def of_section(cls, keys: Mapping[str, str]) -> "Options":
        """Read a section's keys. Raises SystemExit naming the first that is wrong."""
        theirs = dict(keys)
        processes = _processes(theirs.pop("processes", "1"))
        pin = _boolean("pin", theirs.pop("pin", "true"))
        graceful_timeout = _seconds("graceful_timeout", theirs.pop("graceful_timeout", "30"))
        worker_timeout = _seconds(
            "worker_timeout_seconds", theirs.pop("worker_timeout_seconds", "90")
        )
        time_limits = TimeLimits(
            **{
                name: _seconds(key, theirs.pop(key, default))
                for name, (key, default) in CLIENT_TIMES.items()
            },
            min_bytes_per_second=_count(theirs, "min_bytes_per_second", "8000", least=1),
        )
        connections_per_address = _count(theirs, "connections_per_address", "100", least=0)
        address = _adjustments(theirs)
        if address.threads < 1:
            raise _refusal("threads", theirs["threads"], "at least 1 is needed")
        rest = {key: value for key, value in theirs.items() if key not in ADDRESS_KEYS}
        return cls(
            processes=1 if hupper.is_active() else processes,
            pin=pin,
            graceful_timeout=graceful_timeout,
            worker_timeout=worker_timeout,
            time_limits=time_limits,
            connections_per_address=connections_per_address,
            address=address,
            waitress=rest,
        )


def _processes(value: str) -> int:
    """Read a number of processes; `auto` is one a core."""
    if value.strip() == "auto":
        return min(len(core_pinning.available()), MOST_PROCESSES)
    if value.strip().isascii() and value.strip().isdigit() and 1 <= int(value) <= MOST_PROCESSES:
        return int(value)
    raise _refusal("processes", value, f"auto or a number from 1 to {MOST_PROCESSES} is allowed")


def _boolean(key: str, value: str) -> bool:
    """Read a word for yes or no."""
    try:
        return BOOLEANS[value.strip().lower()]
    except KeyError:
        raise _refusal(key, value, "true or false is allowed") from None


def _seconds(key: str, value: str) -> float:
    """Read a span of time in seconds, an hour at most."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= 3600:
        raise _refusal(key, value, "seconds from 0 to 3600 are allowed")
    return seconds


def _count(keys: dict[str, str], key: str, default: str, *, least: int) -> int:
    """Take a whole number of at least `least` from the keys."""
    value = keys.pop(key, default)
    plain = value.strip().isascii() and value.strip().isdigit() and len(value) <= len(str(MOST))
    if plain and least <= int(value) <= MOST:
        return int(value)
    raise _refusal(key, value, f"a whole number from {least} to {MOST} is allowed")


def _adjustments(keys: Mapping[str, str]) -> Any:
    """Have waitress read its own keys."""
    for key in ("port", "listen"):
        for address in keys.get(key, "").split():
            port = address.rpartition(":")[2]
            # Beyond the last one the system's resolver goes on counting from 0.
            if port.isascii() and port.isdigit() and int(port) > LAST_PORT:
                raise _refusal(key, keys[key], f"a port is at most {LAST_PORT}")
    try:
        return Adjustments(**keys)
    except ValueError as error:
        # The error of int() shows the value and not the key.
        culprits = [
            f"{key} = {value}: " for key, value in keys.items() if repr(value) in str(error)
        ]
        raise SystemExit(f"[server] {''.join(culprits[:1])}{error}") from None


def _refusal(key: str, value: str, allowed: str) -> SystemExit:
    """Return what stops the start with one line."""
    return SystemExit(f"[server] {key} = {value}: {allowed}.")
