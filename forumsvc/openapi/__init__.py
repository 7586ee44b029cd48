"""The OpenAPI 3.1 description of the API: hand-written YAML, a file per resource, merged once."""

from .document import API_VERSION, describe
from .serialized import Description, Serialized

__all__ = ["API_VERSION", "Description", "Serialized", "describe"]
