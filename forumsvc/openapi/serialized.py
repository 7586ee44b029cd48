"""The description as JSON and YAML bytes."""

from functools import lru_cache
from typing import Any, NamedTuple

import orjson
import yaml

from ..settings import Settings
from .document import describe

_HERE = "http://address.invalid"
"""Where the service is until a request says it: each way of serializing is done once."""


class Serialized(NamedTuple):
    """A serialized description. content_type: its media type."""

    body: bytes
    content_type: str


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # libyaml's
    """YAML without anchors, which not every parser supports."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


class Description:
    """The description of a service; each form of it is serialized at its first use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._serialized = lru_cache(self._serialize)

    def json(self, url: str, **parts: bool) -> Serialized:
        """Return the description as JSON. url, parts: as of `describe`."""
        return Serialized(self._of(url, "json", parts), "application/json")

    def yaml(self, url: str, **parts: bool) -> Serialized:
        """Return the description as YAML (RFC 9512). url, parts: as of `describe`."""
        return Serialized(self._of(url, "yaml", parts), "application/yaml")

    def _of(self, url: str, language: str, parts: dict[str, bool]) -> bytes:
        return self._serialized(language, **parts).replace(_HERE.encode(), url.encode())

    def _serialize(self, language: str, **parts: bool) -> bytes:
        document = describe(self._settings, _HERE, **parts)
        if language == "json":
            return orjson.dumps(document)
        text = yaml.dump(document, Dumper=_Dumper, allow_unicode=True, sort_keys=False)
        return text.encode()
