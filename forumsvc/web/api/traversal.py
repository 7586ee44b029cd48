"""From a path to a resource: a strict traversal.

Pyramid's own traverser accepts `/topics/5/like/x/y` and `/topics/5/@@like`, and a header can move
its root.
"""

from collections import deque
from typing import Any

from pyramid.interfaces import ITraverser
from zope.interface import implementer

from ...resources.base import Resource
from .methods import MethodTable
from .request import ForumRequest

ROUTE = "api"
_SUFFIX = ".json"


@implementer(ITraverser)
class StrictTraverser:
    """Traverses the tree as far as possible. The rest may only be the name of one view."""

    def __init__(self, root: Resource) -> None:
        self.root = root

    def __call__(self, request: ForumRequest) -> dict[str, Any]:
        """Return the context and view name of a path, as Pyramid's router expects them."""
        methods: MethodTable = request.registry.methods
        names = _segments(request.matchdict["traverse"], request.environ["PATH_INFO"])
        context: Resource = self.root
        while names:
            child = _child(context, names[0])
            if child is None and _has_redundant_suffix(methods, context, names):
                names[0] = names[0].removesuffix(_SUFFIX)
                child = _child(context, names[0])
            if child is None:
                break
            context = child
            names.popleft()
        view_name = names.popleft() if names else ""
        return {
            "context": context,
            "view_name": _NO_VIEW if names else view_name,
            "subpath": (),
            "traversed": (),
            "virtual_root": self.root,
            "virtual_root_path": (),
            "root": self.root,
        }


def _has_redundant_suffix(methods: MethodTable, context: Resource, names: deque[str]) -> bool:
    name = names[0]
    return len(names) == 1 and name.endswith(_SUFFIX) and methods.of(ROUTE, context, name) is None


# No view has this name: a path that continues after a view's name does not exist.
_NO_VIEW = "/"


def _child(context: Resource, name: str) -> Resource | None:
    try:
        return context[name]
    except KeyError:
        return None


def _segments(traverse: tuple[str, ...], path_info: str) -> deque[str]:
    """Return the path's segments; for dot or empty segments, a name that does not exist."""
    inner = f"{path_info.removesuffix('/')}/"
    if "//" in inner or "/./" in inner or "/../" in inner:
        return deque((_NO_VIEW,))
    return deque(traverse)
