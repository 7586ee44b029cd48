"""Every example of the guide, run in its language against the service of `make serve`."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from forumsvc.pages.guide import ADDRESS, CHAPTERS, LANGUAGES, source
from tests.system import documented
from tests.system.oauth.service import Service, service
from tests.system.pserve import ROOT

FIRST, *_ = CHAPTERS
GENERATED = "generated-clients"
PAGES = {name: documented.blocks(source(name)) for name in CHAPTERS}
SPOKEN = [
    (name, language)
    for name, page in PAGES.items()
    for language in LANGUAGES
    if name != GENERATED and any(block.kind == language for block in page)
]


@pytest.fixture(scope="module")
def forum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service with the demo community."""
    with service(
        tmp_path_factory.mktemp("guide"),
        site__environment="development",
        accounts__registration="open",
    ) as running:
        size = ["--users", "30", "--topics", "40", "--replies", "200"]
        subprocess.run(
            [sys.executable, "-m", "forumsvc.cli", "-c", str(running.ini), "demo", *size],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
        yield running


@pytest.fixture(scope="module")
def programs(forum: Service) -> Path:
    """The commands that the examples find; on a machine without curl one that stands in."""
    return documented.commands(forum.folder, "curl" if shutil.which("curl") else "stand-in")


@pytest.mark.parametrize(("name", "language"), SPOKEN)
def test_every_example_works_and_answers_as_the_guide_shows(
    forum: Service, programs: Path, tmp_path: Path, name: str, language: str
) -> None:
    Image.new("RGB", (8, 8), "teal").save(tmp_path / "picture.png")
    page = after_the_start(name)
    printed = documented.run(page, language, forum.url, tmp_path, programs)
    # Where the page shows an answer to this language, it was compared.
    assert documented.check_answers(page, printed) >= 1


def test_a_client_generated_from_the_description_holds_a_session(
    forum: Service, programs: Path, tmp_path: Path
) -> None:
    page = after_the_start(GENERATED)
    # Nothing is left out: the generator is told to fail on its warnings.
    documented.run(page, "sh", forum.url, tmp_path, programs)
    printed = documented.run(page, "python", forum.url, tmp_path, programs)
    assert "Done(ok=1" in printed[len(page) - 1]


def after_the_start(name: str) -> list[documented.Block]:
    """Return the blocks of a chapter behind those that fetch a token."""
    if name == FIRST:
        return PAGES[name]
    start = [block._replace(group=-1) for block in PAGES[FIRST][:4]]
    return [*start, *PAGES[name]]


def test_an_example_is_there_in_every_language_or_only_in_one_on_purpose() -> None:
    alone = {"keyed-envelope": {"python", "js"}, "generated-clients": {"sh", "python"}}
    for name, page in PAGES.items():
        there = {block.kind for block in page} & set(LANGUAGES)
        assert there == alone.get(name, set(LANGUAGES)), name
        assert ADDRESS == documented.ADDRESS
