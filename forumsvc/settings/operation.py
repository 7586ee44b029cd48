"""The settings of operation: metrics, and the background worker."""

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
        integer(1, 3650),
        "14",
        "how long events are kept, for webhooks and GET /events",
        unit="days",
    ),
)
