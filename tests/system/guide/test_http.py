"""Every command of docs/http.md, run by bash against the service of `make serve` with limits."""

import http.client
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system import doc_examples
from tests.system.oauth.service import Service
from tests.system.pserve import ROOT, read_response

from .demo import demo_service

PAGE = doc_examples.blocks((ROOT / "docs/http.md").read_text("utf-8"))
CURLS = ["stand-in", "curl"] if shutil.which("curl") else ["stand-in"]
"""On a machine without curl the page is run all the same."""


@pytest.fixture
def forum(tmp_path: Path) -> Iterator[Service]:
    """The service with the limits of the page, one of which is used up for this address."""
    limits = {"rate_limit__requests": "300/minute", "rate_limit__writes": "30/minute"}
    with demo_service(tmp_path, **limits) as running:
        connection: http.client.HTTPConnection = running.server.connect()
        for _ in range(300):
            connection.request("GET", "/api/v3/nodes")
            assert read_response(connection).status == 200
        connection.close()
        yield running


@pytest.mark.parametrize("curl", CURLS)
def test_every_command_on_the_page_works_and_answers_as_the_page_shows(
    forum: Service, curl: str
) -> None:
    programs = doc_examples.commands(forum.folder, curl)
    printed = doc_examples.run(PAGE, "sh", forum.url, forum.folder, programs)
    commands = sum(block.kind == "sh" for block in PAGE)
    # Every block but the one that fetches the token shows what it answers.
    assert doc_examples.check_outputs(PAGE, printed) == commands - 1


def test_no_command_stands_on_the_page_where_it_would_not_be_run() -> None:
    left = (ROOT / "docs/http.md").read_text("utf-8")
    for block in PAGE:
        left = left.replace(block.text, "")
    assert "curl -s" not in left
    assert "\n    " not in left
