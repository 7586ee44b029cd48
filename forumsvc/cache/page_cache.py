"""A bounded LRU cache in memory, for pages and rows that are valid under one cache version."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Any


class PageCache:
    """Values by key, each with its version and size. Thread-safe.

    The cache does not know the current version: the caller reads it from the database, and gets a
    value only if it was stored under that version.

    hits, misses: how often `get` found a value, or found none or one of another version;
    evictions: the number of values removed to make room, least recently used first.
    """

    def __init__(self, max_bytes: int) -> None:
        """Create an empty cache. max_bytes: of all values together; 0 disables it."""
        self.max_bytes = max_bytes
        self.used_bytes = 0
        self.hits = 0
        self.misses = 0
        self.evictions = 0
        self._entries: OrderedDict[Hashable, tuple[Any, Any, int]] = OrderedDict()
        self._lock = Lock()

    def __contains__(self, key: Hashable) -> bool:
        """Return whether there is a value for the key, of whatever version."""
        return key in self._entries

    def get(self, key: Hashable, version: Any) -> Any | None:
        """Return the value of a key if it was stored under this version, else None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry[0] != version:
                self.misses += 1
                return None
            self._entries.move_to_end(key)
            self.hits += 1
            return entry[1]

    def peek(self, key: Hashable, version: Any) -> Any | None:
        """Return the same as `get`, but count neither a hit nor a miss nor a use."""
        entry = self._entries.get(key)
        return entry[1] if entry is not None and entry[0] == version else None

    def put(self, key: Hashable, version: Any, value: Any, size: int) -> None:
        """Store a value. version: as read before the value was made; size: in bytes, about."""
        if size > self.max_bytes:
            return
        with self._lock:
            old = self._entries.pop(key, None)
            if old is not None:
                self.used_bytes -= old[2]
            self._entries[key] = (version, value, size)
            self.used_bytes += size
            while self.used_bytes > self.max_bytes:
                _, (_, _, freed) = self._entries.popitem(last=False)
                self.used_bytes -= freed
                self.evictions += 1
