"""The HTTP methods that each path allows, from the registered views."""

from typing import Any

from pyramid.registry import Introspector
from zope.interface import Interface

_IMPLIED = {"GET": ("GET", "HEAD")}


class MethodTable:
    """Methods by (route, context class, view name)."""

    def __init__(self, introspector: Introspector) -> None:
        """Collect the methods of all registered views."""
        self._methods: dict[tuple[str, Any, str], set[str]] = {}
        for entry in introspector.get_category("views") or ():
            view = entry["introspectable"]
            declared = view["request_methods"]
            if declared is None or not view["route_name"]:
                continue
            methods = (declared,) if isinstance(declared, str) else declared
            context = view["context"] if isinstance(view["context"], type) else Interface
            allowed = self._methods.setdefault((view["route_name"], context, view["name"]), set())
            for method in methods:
                allowed.update(_IMPLIED.get(method, (method,)))

    def of(self, route: str, context: Any, name: str) -> list[str] | None:
        """Return the methods that a path allows, or None if it has no view."""
        for kind in (*type(context).__mro__, Interface):
            methods = self._methods.get((route, kind, name))
            if methods is not None:
                return sorted(methods | {"OPTIONS"})
        return None
