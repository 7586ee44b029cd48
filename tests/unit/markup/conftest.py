"""Fixtures for the tests of the renderer."""

from collections.abc import Callable, Iterator

import pytest

from forumsvc.markup import Renderer
from forumsvc.markup.pipeline import Pipeline

OWN_HOST = "forum.example"
WALL_SECONDS = 120.0
"""More than the busiest machine takes for a second of processor time."""


@pytest.fixture(scope="session")
def pipeline() -> Pipeline:
    """The pipeline from text to HTML, without worker processes."""
    return Pipeline()


@pytest.fixture
def parts(pipeline: Pipeline) -> Callable[[str], list[str]]:
    """A function: the HTML of a text, split at its mentions."""
    return lambda text: pipeline.render(text, OWN_HOST)


@pytest.fixture
def html(parts: Callable[[str], list[str]]) -> Callable[[str], str]:
    """A function: the HTML of a text, with mentions as plain text."""

    def render(text: str) -> str:
        pieces = parts(text)
        pieces[1::2] = [f"@{login}" for login in pieces[1::2]]
        return "".join(pieces)

    return render


@pytest.fixture
def renderer() -> Iterator[Renderer]:
    renderer = Renderer(
        workers=2, timeout=0.3, site_url=f"https://{OWN_HOST}", wall_seconds=WALL_SECONDS
    )
    yield renderer
    renderer.close()
