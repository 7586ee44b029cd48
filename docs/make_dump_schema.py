"""Makes docs/dump-schema.json: `make generated`.

It is a JSON Schema of a row of each table of a dump, made from its columns, CHECKs and keys.
"""

import json
from pathlib import Path
from typing import Any

from sqlalchemy import CheckConstraint, Table

from forumsvc.dump.fields import REQUIRED, TIME, Field, fields_of
from forumsvc.dump.manifest import FORMAT_VERSION
from forumsvc.dump.rules import RULES
from forumsvc.dump.tables import PARTS, dumped_tables, unique_columns
from forumsvc.models.declarations import Part

FILE = Path(__file__).parent / "dump-schema.json"

_KINDS: dict[str, dict[str, Any]] = {
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "text": {"type": "string"},
    "time": {"type": "string", "pattern": f"^{TIME}$"},
    "json": {"type": ["object", "array"]},
}


def schema() -> str:
    """Return the text of the file."""
    tables = {table.name: _table(table) for table in dumped_tables(secrets=True)}
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A row of each table of a dump of forumsvc, format {FORMAT_VERSION}",
        "description": "x-refers-to: the row that must be there; x-unique: columns that are "
        "different in each row. Made by docs/make_dump_schema.py; do not edit.",
    }
    return json.dumps({**head, "$defs": tables}, indent=1) + "\n"


def _table(table: Table) -> dict[str, Any]:
    dump = PARTS[table.name]
    fields = fields_of(table, secrets=True)
    content = {field.name for field in fields_of(table, secrets=False)}
    secret = dump.part is Part.SECRET
    checks = [one.info for one in table.constraints if isinstance(one, CheckConstraint)]
    properties = {}
    for field in fields:
        described = _property(field)
        for check in checks:
            described |= check.get(field.name, {})
        if field.nullable and "enum" in described:
            described["enum"] = [*described["enum"], None]
        for key in table.columns[field.name].foreign_keys:
            described["x-refers-to"] = key.target_fullname
        if not secret and field.name not in content:
            described["description"] = "in a dump with secrets only"
        properties[field.name] = described
    return {
        "description": f"in a dump with secrets only: {dump.why}" if secret else dump.why,
        "type": "object",
        "properties": properties,
        "required": [field.name for field in fields if field.default is REQUIRED],
        "additionalProperties": False,
        "x-unique": [names for names in unique_columns(table) if {*names} <= {*properties}],
    }


def _property(field: Field) -> dict[str, Any]:
    found = dict(_KINDS[field.kind])
    if field.kind == "integer":
        found |= {"minimum": field.low, "maximum": field.high}
    if field.max_length is not None:
        found["maxLength"] = field.max_length
    if field.rule is not None:
        found["description"] = RULES[field.rule][1]
    if field.nullable:
        types = found["type"]
        found["type"] = [*([types] if isinstance(types, str) else types), "null"]
    elif field.default not in (REQUIRED, None):
        found["default"] = field.default
    return found
