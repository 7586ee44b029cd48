"""The OpenAPI 3.1 description of the API: hand-written YAML, a file per resource, merged once."""

from .document import describe
from .serialized import Description, Serialized

__all__ = ["Description", "Serialized", "describe"]
