"""One thread makes a value; others wait for it, but not forever, and not for other values."""

import threading

from forumsvc.cache.single_flight import SingleFlight


def test_a_wait_for_a_hanging_maker_has_a_timeout():
    single_flight = SingleFlight(0.01)
    ran = []
    with single_flight.lock("page"), single_flight.lock("page"):
        ran.append("the second")
    assert ran == ["the second"]
    assert single_flight._locks == {}


def test_a_thread_that_needs_another_value_does_not_wait():
    single_flight = SingleFlight(60)
    done = threading.Event()

    def make_other() -> None:
        with single_flight.lock("other"):
            done.set()

    with single_flight.lock("page"):
        thread = threading.Thread(target=make_other, daemon=True)
        thread.start()
        assert done.wait(30)
    thread.join(30)
    assert single_flight._locks == {}
