"""The names of operations: in the labels of metrics and in the keys of cached pages."""

from collections.abc import Callable
from typing import Any


def operation_name(view: Callable[..., Any]) -> str:
    """Return the name of a view, unique in the service: its module and its function.

    A function's name alone is not unique: two modules have a `list_topics`.
    """
    # Pyramid's static views are objects, which have the name of their class.
    name = getattr(view, "__name__", type(view).__name__)
    return f"{view.__module__.rpartition('.')[2]}.{name}"
