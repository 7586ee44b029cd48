"""Dumps that tests write: of rows of their own, or of whatever a load takes (hypothesis)."""

import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from sqlalchemy import Table

from docs.make_dump_schema import FILE as SCHEMA_FILE
from forumsvc.dump.fields import Field, fields_of
from forumsvc.dump.tables import dumped_tables, unique_columns
from forumsvc.text.text_rules import line_error

Row = dict[str, Any]

SCHEMA = json.loads(SCHEMA_FILE.read_text("utf-8"))
ROWS = 3
NASTY = [
    *("\\N", "\x01\x02\x7f\x85", "\u2028\u202e", "</script>\r\n\t"),
    *("\\u0000", "楼é\U0010ffff", "'\"\\"),
]
TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30),
)
LINES = TEXTS.filter(lambda text: line_error(text) is None)
TIMES = st.one_of(
    st.sampled_from(["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"]),
    st.datetimes().map(lambda moment: moment.isoformat(timespec="microseconds") + "Z"),
)
VALUES = st.one_of(TEXTS, st.integers(), st.none(), st.booleans())
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3)
OF_RULES: dict[str, st.SearchStrategy[str]] = {
    "login": st.from_regex(r"\A[A-Za-z0-9_][A-Za-z0-9_.-]{0,17}[A-Za-z0-9_]\Z"),
    "email": st.from_regex(r"\A[a-zA-Z0-9+]{1,20}@[a-z]{1,9}\.example\.org\Z"),
    "web": st.sampled_from(["", "https://example.org/\N{SNOWMAN}?a='b'&c"]),
    "image": st.sampled_from(["", *(f"{digit * 2}/{digit * 64}.png" for digit in "0aF".lower())]),
    "object": OBJECTS.map(json.dumps),
    "line": LINES,
    "redirects": st.sampled_from(["", "/docs/explorer", "https://a.example/x http://127.0.0.1/y"]),
    "grants": st.sampled_from(["", "refresh_token password"]),
    "scopes": st.sampled_from(["read", "read write"]),
    "color": st.sampled_from(["", "#0a6a5c"]),
    "erasure": st.sampled_from(["keep", "blank", "delete"]),
}

ONCE = {"jobs": [["kind", "key"]], "reports": [["review_id", "reporter_id"]]}
"""Columns that are different in some rows only."""


@st.composite
def members(draw: st.DrawFn) -> dict[str, list[Row]]:
    """Return up to ROWS rows of each table, at least one, each of them whole."""
    made: dict[str, list[Row]] = {}
    for table in dumped_tables(secrets=True):
        ids = draw(st.lists(_integers(1, 2**62), min_size=ROWS, max_size=ROWS, unique=True))
        if table.name == "site_texts":
            ids = [1]  # one row at most
        made[table.name] = []
        for number in ids:
            row = {
                field.name: draw(_of_field(table, field, made))
                for field in fields_of(table, secrets=True)
            }
            if "id" in row and "id" not in _references(table):
                row["id"] = number
            if table.name == "audit_log":
                row["trimmed_before"] = None  # must not be after created_at
            if table.name == "reviews":
                row["object_key"] = f"topic:{number}"
            made[table.name].append(row)
        made[table.name] = _different(table, made[table.name])
    return made


def _integers(low: int, high: int) -> st.SearchStrategy[int]:
    return st.one_of(st.sampled_from([low, high]), st.integers(low, high))


def _references(table: Table) -> dict[str, str]:
    """Return the table that each column refers to."""
    return {key.parent.name: key.column.table.name for key in table.foreign_keys}


def _of_field(table: Table, field: Field, made: dict[str, list[Row]]) -> st.SearchStrategy[Any]:
    referred = _references(table).get(field.name)
    schema = SCHEMA["$defs"][table.name]["properties"][field.name]
    values: st.SearchStrategy[Any]
    if referred is not None:
        values = st.sampled_from([row["id"] for row in made[referred]])
    elif field.kind == "integer":
        values = _integers(schema["minimum"], schema["maximum"])
    elif field.kind == "boolean":
        values = st.booleans()
    elif field.kind == "time":
        values = TIMES
    elif field.kind == "json":
        values = OBJECTS
    elif "enum" in schema:
        values = st.sampled_from([word for word in schema["enum"] if word is not None])
    else:
        values = OF_RULES.get(field.rule or "", TEXTS)
        if field.max_length is not None:
            values = values.map(lambda text: text[: field.max_length])
    return st.one_of(st.none(), values) if field.nullable else values


def _different(table: Table, rows: list[Row]) -> list[Row]:
    """Return the rows without those that have the same unique values as one before."""
    keys = [*unique_columns(table), *ONCE.get(table.name, ())]
    seen: set[Any] = set()
    kept = []
    for row in rows:
        values = [(*names, *(_compared(row, name) for name in names)) for names in keys]
        if not seen.intersection(values):
            kept.append(row)
        seen.update(values)
    return kept


def _compared(row: Row, name: str) -> str:
    return str(row.get(name.removesuffix("_key"), row.get(name))).lower()


def write(
    folder: Path, lines: Mapping[str, Iterable[bytes | Row]], *, secrets: bool = False
) -> Path:
    """Write a dump of these rows or lines of each table into a new folder, and return it."""
    folder.mkdir()
    listed = {}
    for table, of_table in lines.items():
        written = [json.dumps(one).encode() if isinstance(one, dict) else one for one in of_table]
        packed = gzip.compress(b"".join(line + b"\n" for line in written))
        (folder / f"{table}.ndjson.gz").write_bytes(packed)
        listed[table] = {"rows": len(written), "sha256": hashlib.sha256(packed).hexdigest()}
    manifest = {"format": "forumsvc-dump", "format_version": 1, "secrets": secrets}
    (folder / "manifest.json").write_text(json.dumps({**manifest, "tables": listed}))
    return folder
