"""The settings of rendering Markdown."""

from .setting import Setting
from .setting_types import integer, seconds

MARKUP: tuple[Setting, ...] = (
    Setting(
        "markup.workers",
        integer(0, 64, "processes"),
        "2",
        "processes that render text; 0: the serving process renders",
    ),
    Setting(
        "markup.timeout",
        seconds(0.05, 60),
        "1",
        "processor time that one text may take to render; then it is stored escaped",
    ),
    Setting(
        "markup.wall_seconds",
        seconds(0.05, 600),
        "10",
        "how long a request waits for the rendering of a text; after two attempts it gets 503",
    ),
    Setting(
        "markup.user_seconds_per_minute",
        seconds(0.1, 60),
        "10",
        "processor time that rendering the texts of one user may take, and as much again decoding "
        "the images, counted in each process",
    ),
)
