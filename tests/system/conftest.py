"""Fixtures of the tests of real processes."""

import secrets
from collections.abc import Callable

import pytest

from tests import databases

NewUrl = Callable[..., str]


@pytest.fixture
def new_url(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> NewUrl:
    """A function: make a database of a kind, with all tables or `empty`; return its URL."""

    def make(kind: str, *, empty: bool = False) -> str:
        name = f"new_{secrets.token_hex(4)}"
        return databases.new_url(kind, name, tmp_path_factory, worker_id, empty=empty)

    return make
