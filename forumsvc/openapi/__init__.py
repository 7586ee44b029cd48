"""The API's description (OpenAPI 3.1): YAML by hand, a file a noun, put together once."""

from .document import describe
from .serialized import Description, Serialized

__all__ = ["Description", "Serialized", "describe"]
