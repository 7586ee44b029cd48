"""The API's description (OpenAPI 3.1): YAML by hand, a file a noun, put together once."""

from .document import describe
from .served import Description, Served

__all__ = ["Description", "Served", "describe"]
