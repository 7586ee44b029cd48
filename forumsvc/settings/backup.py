"""The settings of backups: the plan of the background worker, and what `doctor` examines."""

from .setting import Setting
from .setting_types import PATH, integer

BACKUP: tuple[Setting, ...] = (
    Setting(
        "backup.every_hours",
        integer(0, 10_000, "hours"),
        "0",
        "how often the background worker makes a backup; 0: never",
    ),
    Setting("backup.dir", PATH, "", "the folder that it writes them to, of the service's user"),
    Setting("backup.keep", integer(1, 10_000), "7", "how many of them stay"),
    Setting(
        "backup.max_age_hours",
        integer(1, 10_000, "hours"),
        "26",
        "how old the last whole and verified backup may be, for doctor and the metrics",
    ),
)
