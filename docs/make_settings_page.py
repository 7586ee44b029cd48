"""Makes docs/operators/settings.md: `make generated`.

The settings come from their declarations in forumsvc/settings.
"""

from itertools import groupby
from operator import attrgetter
from pathlib import Path

from forumsvc.settings import DECLARED, Setting

PAGE = Path(__file__).parent / "operators" / "settings.md"

_INTRODUCTION = """\
# Settings reference

<!-- Made by docs/make_settings_page.py from forumsvc/settings; do not edit. -->

These are the keys of `[app:main]` in the ini file. `forumsvc settings --describe` prints the same
list, and `forumsvc -c production.ini settings` prints the values in force, with secrets masked.

A value may contain `${NAME}`, which is replaced by the environment variable of that name. An
unknown key, a wrong value and a missing required key each stop the service with one line. The keys
of `[server:main]` are in [configure.md](configure.md).
"""
_HEAD = "| setting | meaning | allowed | default |\n|---|---|---|---|"


def page() -> str:
    """Return the text of the page."""
    areas = groupby(DECLARED, attrgetter("area"))
    return "\n".join(
        [
            _INTRODUCTION,
            *(_area(area, list(settings)) for area, settings in areas),
            "*Checked by a test: this page is what the script writes from the declarations "
            "(`tests/unit/test_generated.py`).*\n",
        ]
    )


def _area(area: str, settings: list[Setting]) -> str:
    rows = [
        f"| `{each.name}` | {_cell(each.meaning)} | {_allowed(each)} | {_default(each)} |"
        for each in settings
    ]
    return "\n".join([f"## {area}", "", _HEAD, *rows, ""])


def _allowed(setting: Setting) -> str:
    unit = f" ({setting.counted_unit})" if setting.counted_unit else ""
    secret = "; secret" if setting.secret else ""
    return _cell(f"{setting.type.allowed}{unit}{secret}")


def _default(setting: Setting) -> str:
    if setting.default is None:
        return "required"
    return f"`{_cell(setting.default)}`" if setting.default else "(empty)"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
