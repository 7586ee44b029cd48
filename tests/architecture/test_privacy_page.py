"""docs/privacy.md names every table that holds something of a person, and settings that exist."""

import re
from pathlib import Path

from forumsvc.models import User
from forumsvc.settings.declared import DECLARED

PAGE = (Path(__file__).parents[2] / "docs/privacy.md").read_text("utf-8")
TABLES = User.metadata.tables
PERSONAL = {"user_id", "actor_id", "account", "address", "email", "login", "words", "by_id"}


def test_every_table_with_something_of_a_person_is_named() -> None:
    of_people = {
        name
        for name, table in TABLES.items()
        if PERSONAL & set(table.c.keys())
        or any(key.column.table.name == "users" for key in table.foreign_keys)
    }
    assert {name for name in of_people | {"jobs"} if f"`{name}`" not in PAGE} == set()


def test_every_setting_that_is_named_exists() -> None:
    areas = {setting.name.partition(".")[0] for setting in DECLARED}
    named = set(re.findall(r"`([a-z_]+\.[a-z_]+)`", PAGE))
    known = {setting.name for setting in DECLARED}
    assert {one for one in named if one.partition(".")[0] in areas} - known == set()
