"""The metrics for Prometheus: requests are counted when answered, the rest is read on a scrape.

A scrape reaches one worker by chance. That worker collects the figures of its peers, and the label
`worker` says whose a figure is. A replaced worker starts at zero under the same number, which
Prometheus takes for the restart that it is.
"""

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import orjson
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    Metric,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector
from pyramid.config import Configurator
from pyramid.viewderivers import INGRESS

from ...errors import BadToken
from ...process import process_name
from ...resources.base import Container
from ..api.operations import operation_name
from ..api.request import ForumRequest
from ..registry import ForumRegistry
from .gauges import Gauges
from .worker_peers import WorkerPeers

_OTHER = "other"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_NO_VIEW = {
    400: "none.unreadable",
    401: "none.bad_token",
    403: "none.no_user",
    404: "none.unknown_path",
    405: "none.wrong_method",
    413: "none.too_large",
    429: "none.too_many",
}
"""Why a request reached no view, by the status of its response."""
_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

Key = tuple[str, str, int]


class Metrics(Collector):
    """The metrics of this process, and the collector of those of all workers."""

    def __init__(self, registry: ForumRegistry, revision: str) -> None:
        """registry: Pyramid's; revision: the deployed revision."""
        self._revision = revision
        self._collectors = CollectorRegistry()
        self._requests = Counter(
            "forumsvc_requests",
            "Requests that were answered.",
            ["operation", "method", "status"],
            registry=self._collectors,
        )
        self._seconds = Histogram(
            "forumsvc_request_seconds",
            "How long it took to make their responses.",
            ["operation"],
            registry=self._collectors,
            buckets=_BUCKETS,
        )
        ProcessCollector(registry=self._collectors)
        self._collectors.register(Gauges(registry))
        self._children_by_key: dict[Key, tuple[Counter, Histogram]] = {}
        self._peers = WorkerPeers(self._snapshot)

    def count(self, request: ForumRequest, status: int, seconds: float) -> None:
        method = request.environ["REQUEST_METHOD"]
        operation = request.operation or _operation_without_view(request, status)
        key = (operation, method if method in _METHODS else _OTHER, status // 100)
        known = self._children_by_key.get(key)
        if known is None:
            known = self._children_by_key[key] = self._children(key)
        known[0].inc()
        known[1].observe(seconds)

    def _children(self, key: Key) -> tuple[Counter, Histogram]:
        operation, method, status = key
        requests = self._requests.labels(operation, method, f"{status}xx")
        return requests, self._seconds.labels(operation)

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of all workers."""
        families: dict[str, Metric] = {}
        up = GaugeMetricFamily(
            "forumsvc_worker_up", "Whether a worker reported its figures.", labels=["worker"]
        )
        snapshots = {process_name.name(): self._snapshot(), **self._peers.collect()}
        for name, snapshot in sorted(snapshots.items()):
            up.add_metric([name], _merge(families, name, snapshot))
        build = GaugeMetricFamily(
            "forumsvc_build_info", "What is deployed.", labels=["version", "revision"]
        )
        build.add_metric([version("forumsvc"), self._revision], 1)
        yield from (build, up, *families.values())

    def _snapshot(self) -> bytes:
        """Return the figures of this process, serialized for its peers."""
        return orjson.dumps(
            [
                (
                    family.name,
                    family.documentation,
                    family.type,
                    [(sample.name, sample.labels, sample.value) for sample in family.samples],
                )
                for family in self._collectors.collect()
            ]
        )


def _operation_without_view(request: ForumRequest, status: int) -> str:
    """Return the `operation` label of a request that reached no view."""
    if status == 404 and isinstance(getattr(request, "context", None), Container):
        return "none.missing"  # a known path to an item that does not exist
    if status == 401 and not isinstance(request.exception, BadToken):
        return "none.no_token"  # a part of the tree that needs a user
    return _NO_VIEW.get(status, "none")


def _merge(families: dict[str, Metric], name: str, snapshot: bytes) -> bool:
    """Add the figures of a worker; return whether its snapshot is complete."""
    try:
        figures = orjson.loads(snapshot)
    except orjson.JSONDecodeError:
        return False  # It does not answer, or has ended.
    for family_name, meaning, kind, samples in figures:
        family = families.setdefault(family_name, Metric(family_name, meaning, kind))
        for sample_name, labels, value in samples:
            family.add_sample(sample_name, {"worker": name, **labels}, value)
    return True


def operation_deriver(view: Any, info: Any) -> Any:
    """Record on the request which view it reached, also where that view refuses it."""
    if info.exception_only:
        return view
    operation = operation_name(info.original_view)

    def recorded(context: Any, request: ForumRequest) -> Any:
        request.operation = operation
        return view(context, request)

    return recorded


def includeme(config: Configurator) -> None:
    """Register the metrics."""
    disable_created_metrics()
    registry = config.registry
    registry.metrics = Metrics(registry, registry.forum_settings["metrics.revision"])
    config.add_view_deriver(operation_deriver, name="operation", under=INGRESS, over="secured_view")
