"""`forumsvc cache …`: what the service keeps of the database."""

import click
from sqlalchemy import func, select

from ..cache import reset as caching
from ..models import Topic
from .command import Group
from .context import Context, pass_context, progress


@click.group(cls=Group)
def cache() -> None:
    """End cached pages after a change by SQL."""


@cache.command()
@click.option(
    "--topic", "topic_id", metavar="ID", type=int, help="Only this topic and its replies."
)
@pass_context
def renew(context: Context, topic_id: int | None) -> None:
    """Let every process show rows that were changed by SQL, from the next read on.

    The service knows of its own changes; run this after an UPDATE or DELETE by hand. The service
    may run meanwhile.
    """
    if topic_id is not None:
        with context.transaction() as db:
            caching.reset_topic(db, topic_id)
        context.answer(f"Topic {topic_id} and all lists are read anew.", topics=1)
        return
    database = context.current_database()
    with database.reads.connect() as reads:
        total = reads.scalar(select(func.count()).select_from(Topic))
    with progress() as bar:
        task = bar.add_task("Renewing", total=total)
        topics = caching.reset_all(database, progress=lambda n: bar.advance(task, n))
    context.answer(f"Every page is read anew; {topics} topics have new versions.", topics=topics)
