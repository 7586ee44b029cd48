"""A service that read-only tests share, and a person who authorizes applications."""

from collections.abc import Iterator

import pytest

from .browser import Browser
from .service import PASSWORD, Service, service


@pytest.fixture(scope="session")
def forum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("oauth")) as running:
        running.person("Ann")
        yield running


@pytest.fixture
def ann(forum: Service) -> Browser:
    """Ann's browser, not logged in yet."""
    return Browser(forum.url, "ann", PASSWORD)
