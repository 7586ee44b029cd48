"""Concurrent callers, each in a thread."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from tests.functional.checked_app import CheckedApp
from tests.functional.forum import Caller, Forum

Task = Callable[[], Any]


def together(tasks: Sequence[Task]) -> list[Any]:
    """Run each task in a thread, all at the same time; return their results in order."""
    results: list[Any] = [None] * len(tasks)
    failures: list[BaseException] = []
    gate = threading.Barrier(len(tasks))

    def run(number: int, task: Task) -> None:
        try:
            gate.wait()
            results[number] = task()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(tasks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    return results


def flat(answers: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the answers of all threads in one list."""
    return list(chain.from_iterable(answers))


def alone(forum: Forum, person: Caller) -> Caller:
    """Return the same caller with a client of its own, for a thread."""
    return Caller(CheckedApp(forum.application), person.token)


def statuses(answers: Sequence[Any]) -> dict[int, int]:
    """Return the number of responses of each status."""
    return dict(Counter(answer.status_int for answer in answers))
