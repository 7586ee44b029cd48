"""GET /metrics: which samples change with which event, and what never appears."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from pyramid.static import static_view
from sqlalchemy import update
from webob import Request

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import JobKind, MailKind, Webhook
from forumsvc.queries import events
from forumsvc.queries import webhooks as reading
from forumsvc.services import backups, mails
from forumsvc.services.webhooks import webhooks
from forumsvc.web.api.operations import operation_name
from tests.functional.conftest import close_application
from tests.functional.event_horizon import wait_for_horizon
from tests.functional.forum import API, Forum, make_app
from tests.functional.metric_samples import MetricSamples
from tests.functional.raw import raw
from tests.functional.statements import counting
from tests.unit.test_deploy_files import METRIC, expressions, load


@pytest.fixture(scope="module")
def watched(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The application with metrics."""
    settings = {"metrics.enabled": "true", "metrics.revision": "4f2a9c1"}
    settings |= {"backup.dir": "backups", "backup.max_age_hours": "24"}
    application = make_app(database_url, tmp_path_factory.mktemp("metrics"), **settings)
    yield application
    close_application(application)


@pytest.fixture
def forum(watched: Any, database: Database) -> Forum:
    """An empty forum with metrics."""
    return Forum(watched, database)


def scrape(forum: Forum) -> MetricSamples:
    """Return the present samples."""
    return MetricSamples.of(raw(forum, "GET", "/metrics").text)


REQUESTS = "forumsvc_requests_total"


def test_each_request_is_counted_by_operation_method_and_kind_of_status_and_timed(forum):
    alice = forum.person("alice")
    topic = forum.topic(alice, forum.node())
    before = scrape(forum)
    forum.nobody.get(f"/topics/{topic}")
    forum.nobody.call("HEAD", f"/topics/{topic}")
    forum.nobody.post(f"/topics/{topic}/replies", body="A text")
    alice.post(f"/topics/{topic}/replies", body="")
    after = scrape(forum)
    expected = {
        ("topics.read_topic", "GET", "2xx"): 1,
        ("topics.read_topic", "HEAD", "2xx"): 1,
        ("replies.create_reply", "POST", "4xx"): 2,
        ("metrics.metrics", "GET", "2xx"): 1,
    }
    assert counted(before, after) == expected
    name, operation = "forumsvc_request_seconds", {"operation": "topics.read_topic"}
    for suffix, labels in (("_count", {}), ("_bucket", {"le": "+Inf"})):
        number = [seen.sum(name + suffix, **operation, **labels) for seen in (before, after)]
        assert number[1] - number[0] == 2
    assert 0 < after.sum(f"{name}_sum", **operation) < 60


def counted(before: MetricSamples, after: MetricSamples) -> dict[tuple[str, ...], float]:
    """Return how many more requests were counted, by operation, method and kind of status."""
    grown = {
        (labels["operation"], labels["method"], labels["status"]): value
        - before.sum(REQUESTS, **labels)
        for name, labels, value in after.samples
        if name == REQUESTS
    }
    return {key: more for key, more in grown.items() if more}


def test_what_comes_to_no_view_is_counted_by_its_reason(forum):
    topic = forum.topic(forum.person("alice"), forum.node())
    before = scrape(forum)
    # Paths that are none of ours, outside the API, in it, and below a thing that is there.
    raw(forum, "GET", "/wp-login.php")
    raw(forum, "GET", f"{API}/posts")
    raw(forum, "GET", f"{API}/topics/{topic}/likes")
    raw(forum, "GET", f"{API}/topics/999999")
    raw(forum, "GET", f"{API}/topics/999999/replies")
    raw(forum, "DELETE", f"{API}/topics")
    raw(forum, "TRACE", "/health")
    raw(forum, "GET", f"{API}/topics", {"Authorization": "Bearer stale"})
    raw(forum, "GET", f"{API}/notifications")
    forum.caller(forum.token(None)).get("/notifications")
    raw(forum, "GET", f"{API}/topics?title=%ff")
    raw(forum, "PUT", f"{API}/users/me", {"Content-Length": "12000001"})
    raw(forum, "OPTIONS", f"{API}/topics")
    assert counted(before, scrape(forum)) == {
        ("none.unknown_path", "GET", "4xx"): 3,
        ("none.missing", "GET", "4xx"): 2,
        ("none.wrong_method", "DELETE", "4xx"): 1,
        ("none.wrong_method", "other", "4xx"): 1,
        ("none.bad_token", "GET", "4xx"): 1,
        ("none.no_token", "GET", "4xx"): 1,
        ("none.no_user", "GET", "4xx"): 1,
        ("none.unreadable", "GET", "4xx"): 1,
        ("none.too_large", "PUT", "4xx"): 1,
        ("none", "OPTIONS", "2xx"): 1,
        ("metrics.metrics", "GET", "2xx"): 1,
    }


def test_what_is_called_too_often_is_counted_apart_too(make_forum):
    forum = make_forum(metrics__enabled="true", rate_limit__requests="1/hour")
    for _ in range(3):
        forum.nobody.get("/topics")
    assert scrape(forum).sum(REQUESTS, operation="none.too_many", status="4xx") == 2


@pytest.mark.parametrize("name", ["alerts.yml", "grafana-dashboard.json"])
def test_each_metric_of_the_alerts_and_of_the_dashboard_is_exported(forum, name):
    runner = forum.registry.job_runner
    # Without a backup there is no age of one.
    runner.backup_made_at = clock.now()
    exported = set(re.findall(r"(?m)^# TYPE (\S+)", raw(forum, "GET", "/metrics").text))
    runner.backup_made_at = None
    asked = {one.removesuffix("_bucket") for one in METRIC.findall(expressions(load(name)))}
    assert asked <= exported


def test_no_two_views_have_one_operation(watched):
    views = {
        view["introspectable"]["callable"]
        for view in watched.registry.introspector.get_category("views")
    }
    # All static files are one operation.
    names = [operation_name(view) for view in views if view and not isinstance(view, static_view)]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_what_parts_know_of_themselves_is_reported(forum, alice):
    before = scrape(forum)
    topic = forum.topic(alice, forum.node(), body="*one*")
    forum.reply(alice, topic, "*two*")
    for _ in range(3):
        forum.nobody.get(f"/topics/{topic}")
    forum.nobody.get("/topics")
    forum.nobody.get("/topics")
    forum.registry.authoring.renderer.stats.add(1.5, "timeout")
    with forum.database.session.begin() as db:
        mails.enqueue(db, MailKind.PASSWORD_RESET, "no address", clock.now(), data={"url": "u"})
    runner = forum.registry.job_runner
    runner.outcomes[JobKind.MAIL, "failed"] += 1
    runner.run()
    stats = forum.registry.background.stats["jobs"]
    stats.runs, stats.failures = 2, 1
    with forum.registry.database.writes.connect():
        after = scrape(forum)

    def grown(name: str, **labels: str) -> float:
        return after.sum(name, **labels) - before.sum(name, **labels)

    assert grown("forumsvc_markup_render_seconds_count") == 3
    assert grown("forumsvc_markup_render_seconds_sum") > 1.5
    assert grown("forumsvc_markup_fallbacks_total", reason="timeout") == 1
    assert after.sum("forumsvc_markup_workers") == 1
    assert grown("forumsvc_page_cache_hits_total") > 0
    assert grown("forumsvc_page_cache_misses_total") > 0
    assert after.sum("forumsvc_page_cache_used_bytes") == forum.registry.page_cache.used_bytes > 0
    assert after.sum("forumsvc_page_cache_limit_bytes") == forum.registry.page_cache.max_bytes
    assert grown("forumsvc_view_counts_pending") == 3
    assert grown("forumsvc_jobs_total", kind="mail", outcome="failed") == 1
    assert after.sum("forumsvc_jobs_waiting", kind="mail") == 1
    assert after.sum("forumsvc_jobs_failed", kind="mail") == 0
    assert after.sum("forumsvc_jobs_oldest_seconds", kind="mail") >= 0
    connections = after.by("pool", "forumsvc_database_connections_in_use")
    assert connections == {"reads": 0, "writes": 1, "executor": 1}
    assert after.by("task", "forumsvc_background_runs_total")["jobs"] == 2
    assert after.by("task", "forumsvc_background_failures_total")["jobs"] == 1
    assert after.sum("process_resident_memory_bytes") > 10_000_000
    assert after.sum("process_cpu_seconds_total") > 0
    assert after.by("revision", "forumsvc_build_info") == {"4f2a9c1": 1}


def test_a_webhook_that_fails_is_told_by_its_age_until_it_is_switched_off(forum):
    hook: dict[str, Any] = {"url": "https://example.org/", "events": ["*"], "node_ids": None}
    with forum.database.session.begin() as db:
        webhooks.create(db, None, clock.now(), **hook, description="", most=9)
    runner = forum.registry.job_runner

    def change(**values: object) -> float:
        with forum.database.session.begin() as db:
            db.execute(update(Webhook).values(**values))
        with forum.database.reads.connect() as db:
            runner.failing_since = reading.failing_since(db)
        return scrape(forum).sum("forumsvc_webhooks_failing_seconds")

    assert change(failing_since=None) == 0
    assert change(failing_since=clock.now() - timedelta(hours=2)) >= 7200
    assert change(active=False) == 0


def test_the_lag_of_a_consumer_is_the_age_of_its_oldest_unread_event(forum, alice, monkeypatch):
    forum.topic(alice, forum.node())
    consumer = forum.registry.background.consumers[0]
    later = clock.now() + timedelta(minutes=5)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert scrape(forum).sum("forumsvc_events_lag_seconds", consumer=consumer.name) == 0
    consumer.oldest_unread_at = events.oldest_unread_at(forum.database.executor, consumer.name)
    assert scrape(forum).sum("forumsvc_events_lag_seconds", consumer=consumer.name) > 290
    wait_for_horizon(forum.database)
    consumer.run()
    assert events.oldest_unread_at(forum.database.executor, consumer.name) is None


LABELS = {
    "operation": r"none|[a-z0-9_]+\.[a-z0-9_]+",
    "method": "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|other",
    "status": "[2-5]xx",
    "worker": "[0-9]+",
    "le": r"[0-9.]+|\+Inf",
    "pool": "reads|writes|executor",
    "reason": "[A-Za-z]+",
    "version": r"[0-9a-z.]+",
    "revision": "4f2a9c1",
    "task": "[a-z-]+",
    "kind": "[a-z_]+",
    "outcome": "done|failed|given_up",
    "consumer": "[a-z-]+",
}


def test_nothing_that_a_client_sent_is_in_it(forum):
    mallory = forum.person("mallory-the-9th")
    topic = forum.topic(mallory, forum.node("Secretnode"), "Secrettitle", "Secretbody")
    for path in (f"/users/{mallory.login}", "/users/918273645", f"/topics/{topic}", "/Secretpath"):
        forum.nobody.get(path)
        mallory.get(path, type="Secretquery")
        raw(forum, "GET", f"{API}{path}?access_token={mallory.token}")
    Request.blank("/health", method="SECRETMETHOD").get_response(forum.application)
    raw(forum, "GET", "/avatars/mallory-the-9th.svg")
    text = raw(forum, "GET", "/metrics").text
    for secret in (str(mallory.token), "mallory", "918273645", "Secret", "SECRET", API):
        assert secret not in text
    for name, labels, _ in MetricSamples.of(text).samples:
        for label, value in labels.items():
            assert re.fullmatch(LABELS[label], value), (name, label, value)


def test_metrics_run_no_sql_and_are_not_cached(forum):
    with counting(forum.registry.database) as seen:
        answer = raw(forum, "GET", "/metrics")
    assert len(seen) == 0
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_client_may_prefer_the_open_format(forum):
    forum.nobody.get("/nodes")
    wanted = {"Accept": "application/openmetrics-text; version=1.0.0"}
    answer = raw(forum, "GET", "/metrics", wanted)
    assert answer.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
    families = {family.name for family in text_string_to_metric_families(answer.text)}
    assert {"forumsvc_requests", "forumsvc_request_seconds", "process_cpu_seconds"} <= families


def test_where_metrics_are_off_nothing_is_there(application, database):
    answer = raw(Forum(application, database), "GET", "/metrics")
    assert answer.status_int == 404
    assert answer.json == {"error": "There is nothing here."}
    assert application.registry.metrics is None


def test_the_age_of_the_last_backup_is_there_once_there_is_one(forum):
    names = ("forumsvc_backup_age_seconds", "forumsvc_backup_max_age_seconds")
    assert [len(scrape(forum).by("worker", name)) for name in names] == [0, 1]
    with forum.database.session.begin() as db:
        backups.record(db, clock.now() - timedelta(hours=2), "forum.tar")
    runner = forum.registry.job_runner
    with forum.database.reads.connect() as db:
        runner.backup_made_at = backups.last_made_at(db)
    found = scrape(forum)
    assert found.sum(names[1]) == 86_400
    assert 7200 <= found.sum(names[0]) < 7300
    runner.backup_made_at = None
