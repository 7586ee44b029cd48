"""Which tests are `extended`: `make test` leaves them out, `make test-extended` runs them.

Single tests and parameters of other files are marked where they are: `@pytest.mark.extended`.

docs/testing.md says where a new test belongs.
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXTENDED = (
    # A real browser.
    "tests/system/browser/",
    # Generated requests (schemathesis).
    "tests/functional/test_fuzz.py",
    # Hostile texts in every field of the API.
    "tests/functional/test_hostile_texts.py",
    # Hundreds of hostile queries, and of queries that a model answers, too.
    "tests/functional/test_search_same_order.py",
    "tests/functional/test_search_hostile.py",
    # Copies of photos between two storages, and lists of many rows.
    "tests/functional/test_photos_storages.py",
    "tests/functional/test_paging_plans.py",
    # The plans of lists on many rows.
    "tests/functional/test_list_plans.py",
    # Corpora of other projects, growth of the rendering time, hostile texts and pictures.
    "tests/unit/media/test_refused.py",
    "tests/unit/markup/test_markup_conformance.py",
    "tests/unit/markup/test_markup_growth.py",
    "tests/unit/markup/test_markup_hostile.py",
    "tests/unit/markup/test_markup_xss.py",
    "tests/unit/media/test_memory.py",
    # Real processes under load, killed, or with a database that fails.
    "tests/system/",
)
"""Beginnings of the names of extended tests."""

QUICK = (
    "tests/functional/test_photos_storages.py::test_a_copy_to_the_bucket_and_back",
    "tests/system/test_raw_requests.py",
    "tests/system/test_serving_errors.py",
    "tests/system/test_serving_options.py",
    "tests/system/test_serving_proxy.py",
)
"""Those that are not, although their folder or file is."""

_KINDS_OF_DATABASES = ("database_url", "kind", "blank")
"""The fixtures that give a test each kind of database in turn."""


def is_all_extended(path: Path) -> bool:
    """Return whether `make test` runs nothing of a file or folder."""
    name = path.relative_to(ROOT).as_posix() + "/" * path.is_dir()
    return name.startswith(EXTENDED) and not any(
        quick.startswith(name) or name.startswith(quick) for quick in QUICK
    )


def is_extended(item: pytest.Item) -> bool:
    """Return whether `make test` leaves a test out."""
    listed = item.nodeid.startswith(EXTENDED) and not item.nodeid.startswith(QUICK)
    return listed or _is_postgresql_half(item)


def _is_postgresql_half(item: pytest.Item) -> bool:
    """Return whether a test is the second run, on PostgreSQL, of one that does not depend on it.

    False if the test is marked `both_databases`, or parametrizes its databases itself.
    """
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    if item.get_closest_marker("both_databases"):
        return False
    named = {mark.args[0] for mark in item.iter_markers("parametrize")}
    given = item.callspec.params
    return any(
        given.get(name) == "postgresql" and name not in named for name in _KINDS_OF_DATABASES
    )
