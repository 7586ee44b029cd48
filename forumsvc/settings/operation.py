"""The settings of operation: metrics, worker, events, webhooks, cache."""

from .setting import Setting
from .setting_types import BOOLEAN, TEXT, integer, seconds

OPERATION: tuple[Setting, ...] = (
    Setting(
        "metrics.enabled",
        BOOLEAN,
        "false",
        "whether GET /metrics is served, for Prometheus; a proxy must deny it to the public",
    ),
    Setting(
        "metrics.revision",
        TEXT,
        "",
        "what is deployed, such as a commit; shown there beside the version",
    ),
    Setting(
        "worker.interval_seconds",
        seconds(0.1, 60),
        "1",
        "how often the background worker looks for something to do",
    ),
    Setting(
        "events.keep_days",
        integer(1, 3650, "days"),
        "14",
        "how long events, emails and webhook deliveries are kept",
    ),
    Setting(
        "webhooks.most",
        integer(1, 1000, "webhooks"),
        "20",
        "how many webhooks there may be; each has a thread while it is sent to",
    ),
    Setting(
        "webhooks.allow_private",
        BOOLEAN,
        "false",
        "whether webhooks may be sent to private addresses, by http and to any port",
    ),
    Setting(
        "cache.pages_mb",
        integer(0, 10_000, "megabytes"),
        "8",
        "memory that each process may use to cache responses; 0: no cache",
    ),
)
