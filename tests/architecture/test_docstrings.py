"""A docstring says more than the name: one that only repeats it is left out."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import forumsvc
from tests.cases import each

PACKAGE = Path(forumsvc.__file__).parent


def _words(text: str) -> set[str]:
    """Return the words of a text or of a name, in the singular."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return {word.rstrip("s") for word in re.findall(r"[a-z]+", spaced.lower())}


FILLERS = _words(
    "a all an and are as by for if in is it its of on one or return returns that the this to "
    "whether with"
)


def repetitions(source: str) -> Iterator[str]:
    """Yield the functions and classes whose docstring only repeats the name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            docstring = ast.get_docstring(node)
            said = _words(docstring or "") - FILLERS - _words(node.name)
            if docstring is not None and not said:
                yield f"{node.name}:{node.lineno}"


def test_no_docstring_only_repeats_the_name() -> None:
    found = {
        str(path.relative_to(PACKAGE)): list(repetitions(path.read_text()))
        for path in PACKAGE.rglob("*.py")
    }
    assert {path: names for path, names in found.items() if names} == {}


@each(
    ("source", "is_repetition"),
    [
        ('def delete_topic():\n    """Delete a topic."""', True),
        ('class TopicItem:\n    """A topic item."""', True),
        ('def delete_topic():\n    """Delete a topic; moderators may restore it."""', False),
        ("def delete_topic():\n    pass", False),
    ],
)
def test_a_repetition_is_recognized(source: str, is_repetition: bool) -> None:
    assert bool(list(repetitions(source))) == is_repetition
