"""All commands of docs/oauth.md, run by bash against a real process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system import doc_examples
from tests.system.pserve import ROOT

from .service import Service, service

PAGE = doc_examples.blocks((ROOT / "docs/oauth.md").read_text("utf-8"))


@pytest.fixture
def forum(tmp_path: Path) -> Iterator[Service]:
    """The service of `make serve`, with what the page needs."""
    with service(tmp_path) as running:
        running.person("demo", "demo-password")
        yield running


def test_every_command_on_the_page_works_and_answers_as_the_page_shows(forum):
    forum.ini.rename(forum.folder / "development.ini")
    programs = doc_examples.commands(forum.folder)
    printed = doc_examples.run(PAGE, "sh", forum.url, forum.folder, programs)
    assert doc_examples.check_outputs(PAGE, printed) >= 9
