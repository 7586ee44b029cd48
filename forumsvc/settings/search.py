"""The settings of the search."""

from .setting import Setting
from .setting_types import choice, integer, seconds

SEARCH: tuple[Setting, ...] = (
    Setting(
        "search.open_to",
        choice("everyone", "members", "established", "off"),
        "everyone",
        "who may search: everyone; members, who are logged in; members who are not newbies; nobody",
    ),
    Setting(
        "search.timeout_seconds",
        seconds(0.1, 30),
        "2",
        "how long a search may take; then it is answered with 503",
    ),
    Setting(
        "search.at_once",
        integer(1, 64, "searches"),
        "2",
        "how many searches a process runs at the same time; twice as many wait for up to two"
        " seconds, others are answered with 503",
    ),
)
