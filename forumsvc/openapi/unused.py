"""Components that nothing refers to, which generators would make code of."""

from typing import Any


def remove_unused(document: dict[str, Any]) -> None:
    """Remove from a description the components that nothing refers to."""
    components, used = document["components"], None
    while used != (result := _references(document)):
        used = result
        for kind in components.keys() - {"securitySchemes"}:
            for name in [*components[kind]]:
                if f"#/components/{kind}/{name}" not in used:
                    del components[kind][name]
            if not components[kind]:
                del components[kind]


def _references(value: Any) -> set[str]:
    if isinstance(value, dict):
        references = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return references.union(*map(_references, value.values()))
    if isinstance(value, list):
        return set().union(*map(_references, value))
    return set()
