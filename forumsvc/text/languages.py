"""The languages of pages, emails and errors: English, and each folder of `locale/`.

What differs between languages beside their sentences, their catalogues have as texts, too: a name,
a direction, and how a date is written.
"""

import gettext
from datetime import date
from functools import cache
from pathlib import Path

from .messages import Message

DOMAIN = "forumsvc"
"""The gettext domain."""

_FOLDER = Path(__file__).parents[1] / "locale"
LANGUAGES = ("en", *sorted(path.name for path in _FOLDER.iterdir() if path.is_dir()))

_NAME = Message("English")
_DIRECTION = Message("left-to-right")
_DATE = Message("{month} {day}, {year}")
_MONTHS = (
    *(Message("January"), Message("February"), Message("March"), Message("April")),
    *(Message("May"), Message("June"), Message("July"), Message("August")),
    *(Message("September"), Message("October"), Message("November"), Message("December")),
)
_SHORT_MONTHS = (
    *(Message("Jan"), Message("Feb"), Message("Mar"), Message("Apr")),
    *(Message("May"), Message("Jun"), Message("Jul"), Message("Aug")),
    *(Message("Sep"), Message("Oct"), Message("Nov"), Message("Dec")),
)


@cache
def catalogue(language: str) -> gettext.NullTranslations:
    """Return the texts of a language; of one that it lacks, as of English, the text itself."""
    return gettext.translation(DOMAIN, _FOLDER, [language], fallback=True)


def own_name(language: str) -> str:
    """Return what a language is called in itself."""
    return catalogue(language).gettext(_NAME)


@cache
def is_right_to_left(language: str) -> bool:
    """Return whether a language is written from right to left."""
    return catalogue(language).gettext(_DIRECTION) == "right-to-left"


def date_in_words(language: str, day: date, *, is_short: bool = False) -> str:
    """Return a date as a language writes it: December 3, 2026, or Dec 3, 2026 if it is short."""
    look_up = catalogue(language).gettext
    month = look_up((_SHORT_MONTHS if is_short else _MONTHS)[day.month - 1])
    return look_up(_DATE).format(month=month, day=day.day, year=day.year)
