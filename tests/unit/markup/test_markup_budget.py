"""The budget of processor time of a user."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from forumsvc.errors import RateLimited
from forumsvc.markup import RenderBudget, budget
from tests.seconds_clock import SecondsClock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SecondsClock:
    clock = SecondsClock()
    monkeypatch.setattr(budget, "time", clock)
    return clock


def spend(render_budget: RenderBudget, author_id: int, seconds: float) -> None:
    with render_budget.acquire(author_id) as used:
        used(seconds)


def test_an_author_with_a_used_up_budget_waits_for_the_refill(clock):
    render_budget = RenderBudget(10)
    spend(render_budget, 1, 12)
    with pytest.raises(RateLimited) as raised:
        spend(render_budget, 1, 0)
    assert raised.value.retry_after == 12
    clock.now += 12.1
    spend(render_budget, 1, 0)


def test_one_text_of_an_author_is_rendered_at_a_time(monkeypatch):
    monkeypatch.setattr(budget, "_WAIT_SECONDS", 0.01)
    render_budget = RenderBudget(10)
    with render_budget.acquire(1):
        with pytest.raises(RateLimited) as raised, render_budget.acquire(1):
            pass
        assert raised.value.retry_after == 1
        spend(render_budget, 2, 0)
    spend(render_budget, 1, 0)


def test_a_second_text_is_refused_if_the_first_one_uses_up_the_budget(monkeypatch):
    monkeypatch.setattr(budget, "_WAIT_SECONDS", 60)
    render_budget = RenderBudget(10)
    with ThreadPoolExecutor(1) as threads:
        with render_budget.acquire(1) as used:
            waiting = threads.submit(spend, render_budget, 1, 1)
            used(1000)
        with pytest.raises(RateLimited, match="took too long"):
            waiting.result()


def test_authors_with_a_full_budget_are_dropped(clock, monkeypatch):
    monkeypatch.setattr(budget, "_MAX_ACCOUNTS", 2)
    render_budget = RenderBudget(10)
    for author_id in range(5):
        spend(render_budget, author_id, 1)
        clock.now += 60
    assert len(render_budget._accounts) <= 3
