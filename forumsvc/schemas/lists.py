"""Field types of parameters with several values: a JSON array, a repeated parameter, or commas."""

from typing import Any

from .fields import Choice, Field, Id, refuse


class Choices(Field):
    """Several words of a list, at least one unless the parameter may be empty."""

    is_list = True

    def __init__(self, choices: Any, may_be_empty: bool = False) -> None:
        self.choices = tuple(str(word) for word in choices)
        self.may_be_empty = may_be_empty

    def parse(self, node: Any, value: Any) -> list[str]:
        """Return the words, each once."""
        one_word = Choice(self.choices)
        parts = _parts(value)
        if parts in ([], [""]):
            return [] if self.may_be_empty else refuse(node, "must not be empty")
        return list(dict.fromkeys(one_word.parse(node, part) for part in parts))


class Words(Choices):
    """Several words of a list, or none: a tuple in the order of the list, however they were sent.

    Equal requests have equal parameters, so they share a cached page.
    """

    def __init__(self, choices: Any) -> None:
        super().__init__(choices, may_be_empty=True)

    def parse(self, node: Any, value: Any) -> tuple[str, ...] | None:  # type: ignore[override]
        """Return the words, each once; None without any."""
        given = super().parse(node, value)
        return tuple(word for word in self.choices if word in given) or None


MAX_LISTED_IDS = 100


class Ids(Field):
    """Several ids."""

    is_list = True

    def __init__(self, max_count: int) -> None:
        self.max_count = max_count

    def parse(self, node: Any, value: Any) -> list[int]:
        """Return the ids, 0 for each that is out of range."""
        parts = _parts(value)
        if parts == [""]:
            return []
        if len(parts) > self.max_count:
            return refuse(node, f"must be at most {self.max_count} ids, and is {len(parts)}")
        one_id = Id()
        return [one_id.parse(node, part) for part in parts]


def _parts(values: Any) -> list[Any]:
    """Return the values, those of texts that are separated by commas one by one."""
    parts: list[Any] = []
    for value in values:
        parts.extend(value.split(",") if isinstance(value, str) else [value])
    return parts
