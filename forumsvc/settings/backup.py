"""The settings of backups, which the service does not make but `forumsvc doctor` examines."""

from .setting import Setting
from .setting_types import TEXT, integer

BACKUP: tuple[Setting, ...] = (
    Setting(
        "backup.dir",
        TEXT,
        "",
        "the folder that backups are written to; forumsvc doctor looks for the newest file in it",
    ),
    Setting(
        "backup.max_age_hours",
        integer(1, 10_000, "hours"),
        "26",
        "how old the newest file in backup.dir may be",
    ),
)
