"""One thread makes a value; others wait for it, but not for ever, and not for other values."""

import threading

import pytest

from forumsvc.cache.single_flight import SingleFlight


def test_a_turn_ends_with_its_block_however_that_ends() -> None:
    flights = SingleFlight(30)
    with pytest.raises(ZeroDivisionError), flights.turn("page"):
        raise ZeroDivisionError
    with flights.turn("page"):
        pass
    assert flights._turns == {}


def test_nobody_waits_for_ever_for_a_maker_that_hangs() -> None:
    flights = SingleFlight(0.01)
    ran = []
    with flights.turn("page"), flights.turn("page"):
        ran.append("the second")
    assert ran == ["the second"]
    assert flights._turns == {}


def test_a_thread_that_wants_another_value_is_not_held() -> None:
    flights = SingleFlight(60)
    done = threading.Event()

    def make_other() -> None:
        with flights.turn("other"):
            done.set()

    with flights.turn("page"):
        thread = threading.Thread(target=make_other, daemon=True)
        thread.start()
        assert done.wait(30)
    thread.join(30)
    assert flights._turns == {}
