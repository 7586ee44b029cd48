"""No text stops the renderer: however it ends, it ends, and the next text is rendered."""

from collections.abc import Iterator

import psutil
import pytest

from forumsvc.markup import Renderer
from forumsvc.markup.sanitizer import sanitize
from tests.unit.markup.conftest import WALL_SECONDS
from tests.unit.markup.hostile_texts import SIZE, TEXTS
from tests.unit.markup.test_markup_xss import dangers

MAX_RESIDENT = 300 << 20


@pytest.fixture(scope="module")
def impatient() -> Iterator[Renderer]:
    """A renderer with a limit of a quarter of a second of processor time for a text."""
    with_workers = Renderer(workers=2, timeout=0.25, wall_seconds=WALL_SECONDS)
    yield with_workers
    with_workers.close()


@pytest.mark.parametrize("name", TEXTS)
def test_a_hostile_text_is_answered_and_the_next_one_is_rendered(impatient, name):
    assert len(TEXTS[name]) <= SIZE + 100
    draft = impatient.render(TEXTS[name])
    assert draft.fallback in {None, "timeout", "MemoryError", "RecursionError", "TooLongError"}
    assert dangers(draft.html) == []
    assert sanitize(draft.html) == draft.html
    assert any(impatient.render("*x*").html == "<p><em>x</em></p>" for _ in range(20))


def test_hostile_texts_leave_neither_processes_nor_memory_behind(impatient):
    this = psutil.Process()
    impatient.render("*x*")
    before = this.memory_info().rss, len(this.children())
    for text in list(TEXTS.values())[::8]:
        impatient.render(text)
    impatient.render("*x*")
    after = this.memory_info().rss, len(this.children())
    assert after[1] == before[1]
    assert after[0] < before[0] + (20 << 20)
    assert all(worker.memory_info().rss < MAX_RESIDENT for worker in this.children())
