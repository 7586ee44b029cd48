"""The description as JSON and YAML bytes."""

from functools import cached_property
from typing import Any, NamedTuple

import orjson
import yaml

from ..settings import Settings
from .document import describe


class Serialized(NamedTuple):
    """A serialized description. content_type: its media type."""

    body: bytes
    content_type: str


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # libyaml's
    """YAML without anchors, which not every parser supports."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


class Description:
    """The description of a service; each format is serialized at its first use."""

    def __init__(self, settings: Settings) -> None:
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
