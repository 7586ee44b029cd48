"""Inserts many rows by Django's models."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from django.core.management.color import no_style
from django.db import connection

_ROWS = 2_000


def insert(model: Any, rows: Iterable[Any]) -> None:
    """Insert rows in batches; those with a given id leave the sequence behind it."""
    rows = iter(rows)
    while batch := list(islice(rows, _ROWS)):
        model.objects.bulk_create(batch)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)
