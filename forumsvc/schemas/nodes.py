"""The parameters of the endpoints of nodes and sections."""

from typing import Any

from ..services.posts.nodes import MAX_SUMMARY
from ..services.posts.sections import MAX_NAME, MAX_SORT
from .fields import (
    Boolean,
    Id,
    Integer,
    Line,
    Lines,
    clearable,
    optional,
    parameters,
    required,
)

_NAME = Line(1, MAX_NAME)
_SUMMARY = Lines(0, MAX_SUMMARY)
_SORT = Integer(-MAX_SORT, MAX_SORT)


class SectionId(Id):
    """The id of a section, or 0 for none."""

    def parse(self, node: Any, value: Any) -> int | None:  # type: ignore[override]  # or none
        """Return the id, None for none, 0 if it is out of range."""
        section_id = super().parse(node, value)
        return None if Integer().parse(node, value) == 0 else section_id


NEW_NODE = parameters(
    required("name", _NAME),
    optional("summary", _SUMMARY, ""),
    optional("section_id", SectionId()),
    optional("sort", _SORT, 0),
    optional("hidden_in_lists", Boolean(), False),
)
CHANGED_NODE = parameters(
    clearable("name", _NAME),
    clearable("summary", _SUMMARY),
    clearable("section_id", SectionId()),
    clearable("sort", _SORT),
    clearable("hidden_in_lists", Boolean()),
)
"""What is left out stays."""
DELETED_NODE = parameters(optional("move_to", Id()))
"""With the node that gets its topics."""
NEW_SECTION = parameters(required("name", _NAME), optional("sort", _SORT, 0))
CHANGED_SECTION = parameters(clearable("name", _NAME), clearable("sort", _SORT))
