"""Inserts many rows by Django's models."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from django.core.management.color import no_style
from django.db import connection

from benchmarks.peer_programs.inside.community import Community

_ROWS = 2_000


def insert(model: Any, rows: Iterable[Any]) -> None:
    """Insert rows in batches; those with a given id leave the sequence behind it."""
    rows = iter(rows)
    while batch := list(islice(rows, _ROWS)):
        model.objects.bulk_create(batch)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)


def insert_users(community: Community) -> list[Any]:
    """Insert the members of a project with Django's own users, numbered from 1."""
    from django.contrib.auth import get_user_model
    from django.contrib.auth.hashers import make_password

    user, password = get_user_model(), make_password(community.password)
    users = [
        user(id=number, username=name, email=f"{name}@example.org", password=password)
        for number, name in enumerate(community.names, 1)
    ]
    insert(user, users)
    return users
