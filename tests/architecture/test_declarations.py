"""What each model declares of its rows: complete, and done by what is made of it."""

import pytest
from sqlalchemy import Table

from forumsvc.models import Photo, TopicFollow
from forumsvc.models.declarations import DELETE, SPECIAL, all_models, declared
from forumsvc.queries import personal_data
from forumsvc.services.accounts.erasure import steps as erasure_steps

ERASURES = dict(declared("__erasure__"))
TABLES = [model.__table__ for model in all_models()]


def refers_to(table: Table, other: str) -> set[str]:
    return {key.parent.name for key in table.foreign_keys if key.column.table.name == other}


def test_every_column_that_refers_to_users_says_what_an_erasure_does():
    declared_columns = {
        (model.__tablename__, name) for model, erasure in ERASURES.items() for name in erasure
    }
    columns = {(table.name, name) for table in TABLES for name in refers_to(table, "users")}
    assert columns ^ declared_columns == set()


@pytest.mark.parametrize(
    "changed",
    [
        {TopicFollow: {"user_id": SPECIAL}},
        {Photo: {"user_id": DELETE}},
    ],
)
def test_special_work_needs_a_step_and_a_step_needs_its_declaration(changed):
    with pytest.raises(TypeError, match=r"\['(topic_follows|photos)\.user_id'\]"):
        erasure_steps.steps_of((ERASURES | changed).items())


def test_every_step_of_a_column_is_declared_and_children_are_deleted_first():
    steps = list(erasure_steps.steps_of(ERASURES.items()))
    deleted, special = (
        {
            f"{model.__tablename__}.{name}"
            for model, erasure in ERASURES.items()
            for name in erasure
            if erasure[name] is how
        }
        for how in (DELETE, SPECIAL)
    )
    assert {*steps[: len(deleted)]} == deleted
    assert {*steps[len(deleted) :]} == special
    tables = [name.partition(".")[0] for name in steps[: len(deleted)]]
    pairs = [(one.name, other) for one in TABLES for other in tables if refers_to(one, other)]
    pairs = [pair for pair in pairs if pair[0] in tables]
    assert ("oauth_tokens", "oauth_clients") in pairs
    assert [one for one in pairs if tables.index(one[0]) > tables.index(one[1])] == []
    for posts in erasure_steps.STEPS.values():
        assert [name for name in posts if name in steps] == steps


def test_every_select_of_several_tables_has_its_file():
    files = {one.file for one in personal_data.EXPORTS if not one.columns}
    assert set(personal_data._JOINED) == files
