"""What the API refuses, the commands that call it refuse with its words, and nothing changes."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from forumsvc.db.engine import Database
from forumsvc.ids import MAX_ID
from forumsvc.models import AuditRecord, HoldReason, Review, User, Webhook
from forumsvc.services.moderation import held_posts
from tests.cases import each
from tests.functional.cli.conftest import Run
from tests.functional.rows import insert_row

BLOCK = "access block --severity all --reason x"
HOOK = "webhook add --event *"
URL = "https://hooks.example.org/forum"
WEBHOOK_COMMANDS = ("delete", "on", "off", "rotate", "ping", "deliveries")
SINCE = "--since 2026-11-21T08:00:00Z"
NO_TIME = "since: must be a time such as 2026-11-21T08:00:00Z"


@pytest.fixture
def names(database: Database) -> dict[str, int]:
    """The ids in the commands: of the reviews of held posts, of a webhook, and of nothing."""
    with database.session.begin() as db:
        author = insert_row(db, User, login="ann")
        root = insert_row(db, User, login="root", role="admin")
        moment = datetime(2026, 11, 1, tzinfo=UTC)
        why = HoldReason.FIRST_POST
        for user_id in (author, root):
            held_posts.hold(db, user_id, moment, why, title="T", body="B", topic_id=None)
        held, of_admin = db.scalars(select(Review.id).order_by(Review.id))
        hook = insert_row(db, Webhook, url=URL, events=["*"])
    return {"HELD": held, "OF_ADMIN": of_admin, "HOOK": hook, "NONE": MAX_ID, "LARGE": 10**30}


@each(
    ("words", "message"),
    [
        (f"{BLOCK} 192.0.2.300", "value: must be an IP address"),
        (f"{BLOCK} 127.0.0.1", "value: holds the addresses of the machine itself"),
        ("access block spam.example --severity all --reason=", "reason: must not be empty"),
        ("access unblock {LARGE}", "There is no access block {LARGE}."),
        ("log list --since x", NO_TIME),
        ("log list --since=", "since: must not be empty"),
        ("log list --actor nobody", "actor: there is no user 'nobody'"),
        ("review show {NONE}", "There is no review {NONE}."),
        ("review show {LARGE}", "There is no review {LARGE}."),
        ("review resolve {NONE} --decision delete", "There is no review {NONE}."),
        ("review resolve {HELD} --decision hide", "decision: must be approve or delete"),
        ("review resolve {HELD} --decision delete --silence-days 1", "reason: is required"),
        (
            "review resolve {OF_ADMIN} --decision delete --reason x --silence-days 1",
            "root is an admin, whom nobody can silence.",
        ),
        (f"{HOOK} http://hooks.example.org/", "url: must begin with https://"),
        (f"{HOOK} https://10.0.0.1/", "url: must not be a private or reserved address"),
        (f"{HOOK} https://hooks.example.org:22/", "url: must have the port 443"),
        (f"{HOOK} {URL} --node {{NONE}}", "node_ids: there is no node {NONE}"),
        (f"{HOOK} {URL} --description {'x' * 501}", "description: must have at most 500"),
        *(
            (f"webhook {command} {{NONE}}", "There is no webhook {NONE}.")
            for command in (*WEBHOOK_COMMANDS, f"replay {SINCE}")
        ),
        ("webhook deliveries {LARGE}", "There is no webhook {LARGE}."),
        ("webhook redeliver {HOOK} {NONE}", "There is no delivery {NONE}."),
        ("webhook replay {HOOK} --since 2026-11-21", NO_TIME),
    ],
)
def test_what_the_api_refuses(
    run: Run, database: Database, names: dict[str, int], words: str, message: str
) -> None:
    refusal = run(*words.format(**names).split(" ")).refusal
    assert refusal.startswith(f"Error: {message.format(**names)}")
    with database.reads.connect() as db:
        assert db.execute(select(AuditRecord.id)).all() == []
