"""`forumsvc db …`: the schema, and whether what is counted is right."""

from collections.abc import Callable

import click

from .. import migrate
from ..db.engine import Database
from ..oauth import explorer
from ..services import audit, profiles
from ..services.audit import Finding
from . import avatars
from .command import Group
from .context import Context, Refused, pass_context, progress, yes_option


@click.group(cls=Group)
def db() -> None:
    """Set up, upgrade and check the database."""


@db.command()
@click.option("--dry-run", is_flag=True, help="Only print what would be run.")
@pass_context
def upgrade(context: Context, dry_run: bool) -> None:
    """Create the database's tables, or bring them up to date.

    The service may run meanwhile, and so may another upgrade: one waits for the other.
    """
    if dry_run:
        _show_pending(context)
        return
    if context.file is not None:
        try:
            context.file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(f"The folder of the database cannot be made: {error}") from None
    revision = migrate.upgrade(context.database.writes, report=context.tell)
    if context.settings["docs.enabled"]:
        with context.transaction() as db:
            explorer.register(db)
    # Users who were deleted by older code kept their profiles.
    with context.transaction() as db:
        names = profiles.erase_deleted(db)
    avatars.remove(context, names)
    context.answer(f"The database is at revision {revision}.", revision=revision)


@db.command()
@pass_context
def current(context: Context) -> None:
    """Print the revision that the database is at, and what an upgrade would run."""
    _show_pending(context)


def _show_pending(context: Context) -> None:
    engine = context.database.writes
    revision, pending = migrate.current(engine), migrate.pending(engine)
    lines = [f"The database is at revision {revision}." if revision else "It is not set up."]
    lines += [f"To run: {step.revision} {step.summary}" for step in pending]
    if not pending:
        lines.append("There is nothing to run.")
    revisions = [step.revision for step in pending]
    context.answer("\n".join(lines), revision=revision, pending=revisions)


@db.command()
@click.option("--fix", is_flag=True, help="Mend what is wrong.")
@yes_option
@pass_context
@click.pass_context
def check(ctx: click.Context, context: Context, fix: bool, yes: bool) -> None:
    """Recount every counter and look for notifications that point nowhere."""
    database = context.current_database()
    with progress() as bar:
        task = bar.add_task("Checking", total=audit.STEPS)
        with database.reads.connect() as reads:
            findings = audit.check(reads, progress=lambda: bar.advance(task))
    wrong = sum(finding.wrong for finding in findings)
    if fix and wrong:
        context.confirm(_loss(findings), yes=yes)
        with progress() as bar:
            task = bar.add_task("Mending", total=2 * audit.STEPS)
            findings = _mend(database, done=lambda: bar.advance(task))
        wrong = sum(finding.wrong for finding in findings)
    checked = sum(finding.checked for finding in findings)
    fixed = wrong if fix else 0
    lines = [f"{finding.name}: {finding.wrong} wrong" for finding in findings if finding.wrong]
    lines.append(f"{checked} checked, {wrong} wrong, {fixed} fixed.")
    context.answer("\n".join(lines), checked=checked, wrong=wrong, fixed=fixed)
    if wrong > fixed:
        click.echo(f"Error: {wrong} of {checked} are wrong; --fix mends them.", err=True)
        ctx.exit(1)


def _loss(findings: list[Finding]) -> str:
    lines = [f"  {finding.name}: {finding.wrong}" for finding in findings if finding.wrong]
    return "\n".join(
        [
            "What is wrong is overwritten for good: counters get their recount, and notifications",
            "that point nowhere are deleted:",
            *lines,
        ]
    )


def _mend(database: Database, done: Callable[[], None]) -> list[Finding]:
    """Mend what is wrong and return what was found to be, all at one moment of the database."""
    with database.session.begin() as session:
        if not database.is_sqlite:
            session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        findings = audit.check(session, progress=done)
        audit.fix(session, progress=done)
        return findings
