"""Grids of values that are one test: it tries each, and names all that fail."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]

_Param = type(pytest.param())


def each(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test once for all values of its parameters `names`, with the same fixtures.

    names and values are those of `pytest.mark.parametrize`. The test fails with the values of all
    cases that failed. Where a case needs an empty database, parametrize the test instead.
    """
    parameters = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    cases = [_named(value, len(parameters)) for value in values]
    assert cases, "a grid without values"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def tried(**given: Any) -> None:
            failed: list[BaseException] = []
            for name, case in cases:
                try:
                    test(**given, **dict(zip(parameters, case, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"The case: {name}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(cases)} cases failed", failed)

        signature = inspect.signature(test)
        kept = [one for name, one in signature.parameters.items() if name not in parameters]
        tried.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return tried

    return decorate


def _named(value: Any, width: int) -> tuple[str, tuple[Any, ...]]:
    """Return the name of a case, and a value for each parameter."""
    if isinstance(value, _Param):
        assert not value.marks, "a case has no marks of its own"
        return str(value.id or repr(value.values)[:300]), tuple(value.values)
    return repr(value)[:300], tuple(value) if width > 1 else (value,)
