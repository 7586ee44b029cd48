"""The emails that wait to be sent, or were."""

from sqlalchemy import select

from forumsvc.db.engine import Database
from forumsvc.models import Job, JobKind
from forumsvc.services import mails
from forumsvc.services.mails import Mail


def queued_mails(database: Database) -> list[Mail]:
    """Return all emails, the oldest first."""
    with database.reads.connect() as db:
        query = select(Job.__table__).where(Job.kind == JobKind.MAIL).order_by(Job.id)
        return [mails.of_job(row) for row in db.execute(query)]
