"""The figures of this process's services, read on a scrape.

The services have plain attributes and know nothing of metrics: between scrapes they cost nothing.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from prometheus_client import Metric
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from ... import clock
from ..registry import ForumRegistry


class Gauges(Collector):
    """The figures of the services in Pyramid's registry."""

    def __init__(self, registry: ForumRegistry) -> None:
        """registry: Pyramid's; its services are added later."""
        self._registry = registry

    def collect(self) -> Iterator[Metric]:
        yield from _of_page_cache(self._registry.page_cache)
        yield from _of_markup(self._registry.authoring.renderer)
        yield _of_database(self._registry.database)
        yield GaugeMetricFamily(
            "forumsvc_view_counts_pending",
            "Reads of topics that are counted but not in the database yet.",
            self._registry.view_counter.pending,
        )
        yield from _of_jobs(self._registry.job_runner)
        yield from _of_webhooks(self._registry.webhook_sender)
        yield _of_failing_webhooks(self._registry.job_runner)
        yield from _of_backups(self._registry)
        yield from _of_moderation(self._registry.job_runner)
        yield from _of_background(self._registry.background)


def _of_page_cache(page_cache: Any) -> Iterator[Metric]:
    counted = {
        "hits": "Pages and topics taken from the page cache.",
        "misses": "Pages and topics that it did not have, or not as they are now.",
        "evictions": "Pages and topics that made room for others.",
    }
    for name, meaning in counted.items():
        yield CounterMetricFamily(f"forumsvc_page_cache_{name}", meaning, getattr(page_cache, name))
    yield GaugeMetricFamily(
        "forumsvc_page_cache_used_bytes", "Memory that the page cache takes.", page_cache.used_bytes
    )
    yield GaugeMetricFamily(
        "forumsvc_page_cache_limit_bytes",
        "Memory that it may take (cache.pages_mb).",
        page_cache.max_bytes,
    )


def _of_markup(renderer: Any) -> Iterator[Metric]:
    stats = renderer.stats
    yield SummaryMetricFamily(
        "forumsvc_markup_render_seconds",
        "Texts that were rendered, the wait for a free worker included.",
        stats.rendered,
        stats.seconds,
    )
    fallbacks = CounterMetricFamily(
        "forumsvc_markup_fallbacks", "Texts that are shown unrendered.", labels=["reason"]
    )
    for reason, count in tuple(stats.fallbacks.items()):
        fallbacks.add_metric([reason], count)
    yield fallbacks
    yield CounterMetricFamily(
        "forumsvc_markup_workers_killed",
        "Rendering processes that a text was too much for.",
        renderer.killed,
    )
    yield GaugeMetricFamily(
        "forumsvc_markup_workers", "Rendering processes that run.", renderer.workers
    )


def _of_jobs(runner: Any) -> Iterator[Metric]:
    waiting = GaugeMetricFamily(
        "forumsvc_jobs_waiting",
        "Jobs in the whole database that wait, as last seen by the background worker.",
        labels=["kind"],
    )
    oldest = GaugeMetricFamily(
        "forumsvc_jobs_oldest_seconds",
        "How long the oldest of these has waited; 0 where there is none.",
        labels=["kind"],
    )
    failed = GaugeMetricFamily(
        "forumsvc_jobs_failed", "Jobs in the whole database that were given up.", labels=["kind"]
    )
    for kind, count in runner.counts.items():
        waiting.add_metric([kind], count.waiting)
        oldest.add_metric([kind], _age(count.oldest_at))
        failed.add_metric([kind], count.failed)
    outcomes = CounterMetricFamily(
        "forumsvc_jobs", "Attempts, by what became of them.", labels=["kind", "outcome"]
    )
    for (kind, outcome), number in tuple(runner.outcomes.items()):
        outcomes.add_metric([kind, outcome], number)
    yield from (waiting, oldest, failed, outcomes)
    yield GaugeMetricFamily(
        "forumsvc_mail_refused_addresses",
        "Users who get no emails about what happened, because their address is refused.",
        runner.refused_addresses,
    )


def _of_webhooks(sender: Any) -> Iterator[Metric]:
    yield CounterMetricFamily(
        "forumsvc_webhook_delivered",
        "Messages that a receiver answered with 2xx.",
        sender.delivered,
    )
    yield CounterMetricFamily("forumsvc_webhook_failed", "Attempts that failed.", sender.failed)


def _of_failing_webhooks(runner: Any) -> Metric:
    return GaugeMetricFamily(
        "forumsvc_webhooks_failing_seconds",
        "For how long the webhook that has failed the longest has failed; 0 where there is none.",
        _age(runner.failing_since),
    )


def _of_backups(registry: ForumRegistry) -> Iterator[Metric]:
    settings, made_at = registry.forum_settings, registry.job_runner.backup_made_at
    if made_at is not None:
        yield GaugeMetricFamily(
            "forumsvc_backup_age_seconds",
            "How old the last whole and verified backup is.",
            _age(made_at),
        )
    if settings["backup.dir"]:
        yield GaugeMetricFamily(
            "forumsvc_backup_max_age_seconds",
            "How old it may be (backup.max_age_hours); only where backup.dir is set.",
            settings["backup.max_age_hours"] * 3600,
        )


def _of_moderation(runner: Any) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "forumsvc_reviews_open",
        "Reviews that wait for a moderator, as last seen by the background worker.",
        runner.open_reviews,
    )
    yield GaugeMetricFamily(
        "forumsvc_reviews_oldest_seconds",
        "How long ago the oldest of these was opened; 0 where there is none.",
        _age(runner.oldest_review_at),
    )


def _of_background(background: Any) -> Iterator[Metric]:
    runs = CounterMetricFamily(
        "forumsvc_background_runs", "Runs of what the background worker does.", labels=["task"]
    )
    failures = CounterMetricFamily(
        "forumsvc_background_failures", "Runs that an error ended.", labels=["task"]
    )
    for name, stats in background.stats.items():
        runs.add_metric([name], stats.runs)
        failures.add_metric([name], stats.failures)
    lag = GaugeMetricFamily(
        "forumsvc_events_lag_seconds",
        "How long ago the oldest event happened that a consumer has not handled; 0 without one.",
        labels=["consumer"],
    )
    for consumer in background.consumers:
        lag.add_metric([consumer.name], _age(consumer.oldest_unread_at))
    yield from (runs, failures, lag)


def _age(moment: datetime | None) -> float:
    return max(0.0, (clock.now() - moment).total_seconds()) if moment else 0.0


def _of_database(database: Any) -> Metric:
    family = GaugeMetricFamily(
        "forumsvc_database_connections_in_use",
        "Connections taken from the pools of reads and writes, and those kept by threads.",
        labels=["pool"],
    )
    family.add_metric(["reads"], database.reads.pool.checkedout())
    family.add_metric(["writes"], database.writes.pool.checkedout())
    family.add_metric(["executor"], database.executor.thread_connections)
    return family
