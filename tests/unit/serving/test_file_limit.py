"""The limit of open files."""

import resource

import pytest

from forumsvc.serving import file_limit
from tests.cases import each

SOFT = 256


@each(
    ("hard", "wanted"),
    [(1_024, 1_024), (10**6, file_limit.ENOUGH), (resource.RLIM_INFINITY, file_limit.ENOUGH)],
)
def test_the_soft_limit_is_raised_as_far_as_the_hard_one_allows(
    monkeypatch: pytest.MonkeyPatch, hard: int, wanted: int
) -> None:
    calls: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (SOFT, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda what, new: calls.append((what, new)))
    file_limit.raise_file_limit()
    assert calls == [(resource.RLIMIT_NOFILE, (wanted, hard))]


@each("soft", [file_limit.ENOUGH, 10**6, resource.RLIM_INFINITY])
def test_a_limit_that_is_high_enough_stays(monkeypatch: pytest.MonkeyPatch, soft: int) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", lambda *_: pytest.fail("the limit was set"))
    file_limit.raise_file_limit()
