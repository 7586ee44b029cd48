"""The blocked networks, which each process has in memory.

They are read again when their version is another one: see `cache.versions.access_version`. The
texts of the site have the same version, and are read with them.
"""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from ipaddress import ip_network
from typing import Any

from ...cache import versions
from ...db.execution import ReadConnection
from ...models import AccessBlockSeverity
from ...queries import access_blocks
from .values import parse_address

_BITS = {4: 32, 6: 128}
_HARDEST_FIRST = tuple(reversed(AccessBlockSeverity))
Held = tuple[AccessBlockSeverity, datetime | None]
"""A severity, and when it ends."""


def refuses_sign_up(severity: AccessBlockSeverity) -> bool:
    """Return whether nobody may sign up under a block, not even to wait for approval."""
    return severity != AccessBlockSeverity.APPROVAL


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """What was read. by_prefix: (version of IP, prefix) -> the network's bits -> its blocks."""

    version: int | None = None
    by_prefix: dict[tuple[int, int], dict[int, Held]] = field(default_factory=dict)


class BlockedNetworks:
    """The blocks of networks, as they were read last."""

    def __init__(
        self, recheck_seconds: float, also_read: Callable[[ReadConnection], None] | None = None
    ) -> None:
        """recheck_seconds: for how long they may be used without a look at their version;
        also_read: reads what else is under that version.
        """
        self._recheck_seconds = recheck_seconds
        self._also_read = also_read
        self._snapshot = _Snapshot()
        self._checked_at: float | None = None
        self._lock = threading.Lock()

    def refresh(self, db: ReadConnection, *, now: bool = False) -> None:
        """Read the version, and the blocks if it is another one.

        now: even if that was done just now.
        """
        checked_at = self._checked_at
        if now or checked_at is None or time.monotonic() - checked_at >= self._recheck_seconds:
            self.notice(db, versions.load_access_version(db))

    def notice(self, db: ReadConnection, version: int) -> bool:
        """Read the blocks if this version, just read, is another one; return whether it was."""
        started = time.monotonic()
        changed = version != self._snapshot.version
        if changed:
            with self._lock:
                if version != self._snapshot.version:
                    # At first no version means that there never was anything; later it may be
                    # what a slow request has read before the first one.
                    is_empty = not version and self._snapshot.version is None
                    blocks = () if is_empty else access_blocks.networks(db)
                    if self._also_read is not None and not is_empty:
                        self._also_read(db)
                    self._snapshot = _Snapshot(version, _by_prefix(blocks))
        self._checked_at = started
        return changed

    def __bool__(self) -> bool:
        """Whether there is any block of a network."""
        return bool(self._snapshot.by_prefix)

    def postpone(self) -> None:
        """Use the blocks for another second before the next look at their version."""
        self._checked_at = time.monotonic() - self._recheck_seconds + 1

    def expire(self) -> None:
        """Let the next request look at the version."""
        self._checked_at = None

    def severity_of(self, address: str, now: datetime) -> AccessBlockSeverity | None:
        """Return the hardest severity that holds for a client's address now, or None."""
        by_prefix = self._snapshot.by_prefix
        parsed = parse_address(address) if by_prefix else None
        if parsed is None:
            return None
        version, number = parsed
        severities = {
            block[0]
            for (network, prefix), blocks in by_prefix.items()
            if network == version
            and (block := blocks.get(number >> (_BITS[version] - prefix))) is not None
            and (block[1] is None or block[1] > now)
        }
        return next((severity for severity in _HARDEST_FIRST if severity in severities), None)


def _by_prefix(rows: Iterable[Any]) -> dict[tuple[int, int], dict[int, Held]]:
    result: dict[tuple[int, int], dict[int, Held]] = {}
    for row in rows:
        network = ip_network(row.value)
        blocks = result.setdefault((network.version, network.prefixlen), {})
        bits = int(network.network_address) >> (network.max_prefixlen - network.prefixlen)
        blocks[bits] = (AccessBlockSeverity(row.severity), row.expires_at)
    return result
