"""`forumsvc cache …`: invalidates cached pages."""

from sqlalchemy import func, select

from ..cache import reset as caching
from ..models import Topic
from .command import Group
from .context import Context, pass_context
from .terminal import Progress

cache = Group("cache")


@cache.command()
@pass_context
def renew(context: Context) -> None:
    """Invalidate cached pages, so that every process shows rows that were changed by SQL.

    The service invalidates its cache after its own changes; run this after an UPDATE or DELETE by
    hand. The service may run meanwhile.
    """
    database = context.current_database()
    with database.reads.connect() as reads:
        total = reads.scalar(select(func.count()).select_from(Topic))
    with Progress("Renewing", total) as bar:
        count = caching.reset_all(database, progress=bar.advance)
    context.output(f"All cached pages are invalid; {count} topics have new versions.", topics=count)
