"""The settings of monitoring: metrics."""

from .setting import Setting
from .setting_types import BOOLEAN, TEXT

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
)
