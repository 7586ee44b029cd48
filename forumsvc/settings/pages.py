"""The settings of the HTML pages."""

from .setting import Setting
from .setting_types import BOOLEAN, choice

LANGUAGES = ("en", "zh")
"""The languages of the pages; `zh` is Chinese in simplified characters."""

PAGES: tuple[Setting, ...] = (
    Setting(
        "pages.forum",
        BOOLEAN,
        "true",
        "whether the forum has pages; false for a community with a front end of its own",
    ),
    Setting(
        "site.language",
        choice(*LANGUAGES),
        "en",
        "the language of the pages for readers whose browser names neither language",
    ),
)
