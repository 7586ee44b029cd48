"""What `benchmarks.compare` says of two measured servers."""

from pathlib import Path

from benchmarks import compare
from benchmarks.endpoints import Endpoint
from benchmarks.load import Burst
from benchmarks.measure import Sample, Subject
from benchmarks.servers import Server


def measured(*rates: int) -> Subject:
    """Return an endpoint that answered so often in a second of each round."""
    samples = [Sample(Burst(rate, 1.0, 0, 0.002, 0.004), 0.2, 0.1, 0.3, 100.0) for rate in rates]
    endpoint = Endpoint("topic list", "nobody", [])
    return Subject(Server("forum", 1, 1, Path()), endpoint, 16, samples=samples)


def test_what_changed_is_the_median_of_the_rounds_quotients() -> None:
    before, after = measured(500, 250, 400), measured(550, 300, 400)
    assert after.ratio_to(before) == 1.1


def test_a_row_has_the_figures_of_its_head() -> None:
    row = compare._row(measured(500), measured(550))
    assert dict(zip(compare.HEAD, row, strict=True)) == {
        "endpoint": "topic list",
        "caller": "nobody",
        "after/before": "1.10",
        "requests/s before": "500",
        "requests/s after": "550",
        "CPU ms before": "0.60",
        "CPU ms after": "0.55",
        "p99 ms before": "4.0",
        "p99 ms after": "4.0",
        "errors": "0",
    }
