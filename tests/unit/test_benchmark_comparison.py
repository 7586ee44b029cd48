"""How `benchmarks.compare` parses and compares results."""

import pytest

from benchmarks.compare import compare, read_figures
from benchmarks.report import HEAD
from benchmarks.table import markdown


def printed(*rows: tuple[str, ...]) -> str:
    """Return the benchmark's output with these rows in the table of PostgreSQL."""
    table = markdown([HEAD, *rows], text_columns=2)
    return f"aims\n\n**postgresql**, 1 process, 16 connections\n\n{table}\n\nMachine: this."


def row(endpoint: str, ratio: str, errors: str = "0") -> tuple[str, ...]:
    """Return a row of the benchmark's table."""
    figures = ("5,189", "2.9", "7.1", ratio, "", "", "0.20", "0.04", "1.40", "92")
    return endpoint, "nobody", *figures, errors


def test_the_ratio_and_the_processor_time_are_read_by_endpoint_and_caller() -> None:
    figures = read_figures(printed(row("topic list", "0.55"), row("create reply", "0.042")))
    assert figures == {
        ("topic list", "nobody"): (0.55, pytest.approx(0.24)),
        ("create reply", "nobody"): (0.042, pytest.approx(0.24)),
    }


def test_a_round_with_errors_is_refused() -> None:
    with pytest.raises(RuntimeError, match="topic list: 3 errors"):
        read_figures(printed(row("topic list", "0.55", errors="3")))


def test_a_run_without_the_table_is_refused() -> None:
    with pytest.raises(RuntimeError, match="No table"):
        read_figures("nothing")


def test_what_changed_is_the_median_of_the_rounds_quotients() -> None:
    key = ("topic list", "nobody")
    before = [{key: (0.50, 0.2)}, {key: (0.25, 0.4)}, {key: (0.40, 0.3)}]
    after = [{key: (0.55, 0.2)}, {key: (0.30, 0.4)}, {key: (0.40, 0.3)}]
    assert list(compare(before, after)) == [(*key, "0.400", "0.400", "1.10", "0.30", "0.30")]
