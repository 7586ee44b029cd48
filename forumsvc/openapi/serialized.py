"""The description as the bytes that go out."""

from functools import cached_property
from typing import Any, NamedTuple

import orjson
import yaml

from ..settings import Settings
from .document import describe


class Serialized(NamedTuple):
    """A form of the description. content_type: its media type."""

    body: bytes
    content_type: str


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # libyaml's
    """YAML without anchors, which not every reader knows."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out."""
        return True


class Description:
    """The forms of the description: each is made for the first who asks, and kept."""

    def __init__(self, settings: Settings) -> None:
        """Take the settings of the service that is described."""
        self._settings = settings

    @cached_property
    def json(self) -> Serialized:
        """The description as JSON."""
        return Serialized(orjson.dumps(describe(self._settings)), "application/json")

    @cached_property
    def yaml(self) -> Serialized:
        """The description as YAML (RFC 9512)."""
        document = describe(self._settings)
        text = yaml.dump(document, Dumper=_Dumper, allow_unicode=True, sort_keys=False)
        return Serialized(text.encode(), "application/yaml")
