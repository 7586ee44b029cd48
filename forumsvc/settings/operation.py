"""The settings of monitoring: metrics."""

from .setting import Setting
from .setting_types import BOOLEAN, TEXT

OPERATION: tuple[Setting, ...] = (
    Setting(
        "metrics.enabled",
        BOOLEAN,
        "false",
        "whether GET /metrics answers Prometheus; a proxy must keep it from the public",
    ),
    Setting(
        "metrics.revision",
        TEXT,
        "",
        "what is deployed, such as a commit; shown there beside the version",
    ),
)
