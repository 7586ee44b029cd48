"""docs/privacy.md names every table that holds something of a person, and settings that exist."""

import re
from pathlib import Path

from forumsvc.models import User
from forumsvc.models.declarations import declared
from forumsvc.settings.declared import DECLARED

PAGE = (Path(__file__).parents[2] / "docs/privacy.md").read_text("utf-8")
IN_DATABASE = PAGE.partition("## In the database")[2].partition("\n## ")[0]
TABLES = User.metadata.tables
PERSONAL = {"user_id", "actor_id", "account", "address", "email", "login", "words", "by_id"}


def test_every_table_with_something_of_a_person_has_its_place():
    declared_tables = {model.__tablename__ for model, _ in declared("__erasure__")}
    of_people = {name for name, table in TABLES.items() if PERSONAL & set(table.c.keys())}
    rows = re.findall(r"^\|[^|]*\|([^|]*)\|", IN_DATABASE, re.M)
    named = re.findall(r"`(\w+)`", " ".join(rows))
    assert declared_tables | of_people | {"jobs"} <= set(named) <= set(TABLES)
    assert len(named) == len(set(named))


def test_every_setting_that_is_named_exists():
    areas = {setting.name.partition(".")[0] for setting in DECLARED}
    named = set(re.findall(r"`([a-z_]+\.[a-z_]+)`", PAGE))
    known = {setting.name for setting in DECLARED}
    assert {one for one in named if one.partition(".")[0] in areas} - known == set()
