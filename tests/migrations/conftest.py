"""A database before any migration."""

import re
from collections.abc import Iterator

import pytest

from forumsvc.db.engine import Database
from tests import databases


@pytest.fixture(params=databases.KINDS)
def blank(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Iterator[Database]:
    """A database without any table."""
    name = re.sub(r"\W", "_", request.node.name)[-40:]
    url = databases.new_url(request.param, name, tmp_path_factory, worker_id, empty=True)
    with databases.open_temporarily(url) as database:
        yield database
