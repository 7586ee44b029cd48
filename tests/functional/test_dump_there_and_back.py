"""Whatever stands in a row of any table is the same in the other database, and back again."""

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from forumsvc.db.engine import Database
from forumsvc.dump import Archive, load_dump, write_dump
from forumsvc.dump.comparison import compare, open_database_side, open_dump_side
from tests import databases
from tests.functional.dump_rows import SCHEMA, Row, members, write


def differences(database: Database, folder: Path) -> list[str]:
    with open_database_side("database", database) as side:
        compared = [*compare(side, open_dump_side("dump", folder))]
    return [one.table for one in compared if not one.is_same]


def check_schema(rows: dict[str, list[Row]]) -> None:
    for table, of_table in rows.items():
        validator = jsonschema_rs.validator_for({**SCHEMA, "$ref": f"#/$defs/{table}"})
        for row in of_table:
            validator.validate(row)


def rows_of(folder: Path) -> dict[str, list[Row]]:
    files = folder.glob("*.ndjson.gz")
    lines = ((file.name.partition(".")[0], gzip.decompress(file.read_bytes())) for file in files)
    return {table: [*map(json.loads, text.decode().split("\n")[:-1])] for table, text in lines}


@pytest.mark.extended
def test_no_row_differs_there_and_back(database, target):
    @settings(
        max_examples=5,
        phases=[Phase.generate],  # not smaller ones of a failure: each takes a second
        database=None,
        suppress_health_check=[*HealthCheck],
        print_blob=False,
    )
    @given(rows=members())
    def there_and_back(rows: dict[str, list[Any]]) -> None:
        check_schema(rows)
        with tempfile.TemporaryDirectory() as name:
            made, there, back = (Path(name) / one for one in ("made", "there", "back"))
            load_dump(database, Archive(write(made, rows, secrets=True)), trust_html=True)
            write_dump(database, there, secrets=True)
            dumped = rows_of(there)
            check_schema(dumped)
            assert {name for name, of_table in dumped.items() if not of_table} <= {"notifications"}
            load_dump(target, Archive(there), trust_html=True)
            assert differences(target, there) == []
            write_dump(target, back, secrets=True)
            databases.delete_all_rows(database)
            load_dump(database, Archive(back), trust_html=True)
            assert differences(database, there) == []
        databases.delete_all_rows(database)
        databases.delete_all_rows(target)

    there_and_back()
    databases.restart_ids(database)
