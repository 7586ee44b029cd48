"""`forumsvc db …`: the schema, and the correctness of counters."""

from collections.abc import Callable

import click
from sqlalchemy import make_url, text

from .. import migrate
from ..db.engine import Database
from ..oauth import explorer
from ..queries import search_documents, unknown_words
from ..services import deployment
from ..services.posts import counters
from ..services.posts.counters import Finding
from .command import Group
from .context import CommandError, Context, pass_context
from .options import yes_option
from .terminal import Progress

db = Group("db")


@db.command()
@click.option("--dry-run", is_flag=True, help="Only print what would be run.")
@pass_context
def upgrade(context: Context, dry_run: bool) -> None:
    """Create the database's tables, or upgrade them.

    The service may run meanwhile, and so may another upgrade: one waits for the other.
    """
    if dry_run:
        _show_pending(context)
        return
    if context.sqlite_file is not None:
        try:
            context.sqlite_file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"The folder of the database cannot be made: {error}") from None
    revision = migrate.upgrade(context.database.writes, report=context.print_status)
    if context.settings["docs.enabled"]:
        with context.transaction() as db:
            explorer.register(db)
    with context.database.reads.connect() as db:
        is_indexed = search_documents.is_complete(db) and not search_documents.has_outdated(db)
    lines = [f"The database is at revision {revision}."]
    if not is_indexed:
        lines.append("Posts are not indexed as this version does: run forumsvc search reindex.")
    context.output("\n".join(lines), revision=revision, search_index=is_indexed)


@db.command()
@pass_context
def current(context: Context) -> None:
    """Print the database's revision, and what an upgrade would run."""
    _show_pending(context)


def _show_pending(context: Context) -> None:
    engine = context.database.writes
    revision, pending = migrate.current(engine), migrate.pending(engine)
    lines = [f"The database is at revision {revision}." if revision else "It is not set up."]
    lines += [f"To run: {step.revision} {step.summary}" for step in pending]
    if not pending:
        lines.append("There is nothing to run.")
    revisions = [step.revision for step in pending]
    context.output("\n".join(lines), revision=revision, pending=revisions)


@db.command(name="role-settings")
@pass_context
def role_settings(context: Context) -> None:
    """Print SQL with the settings that the role needs behind a PgBouncer."""
    from ..db.connect import role_settings
    from ..db.connection_options import ConnectionOptions

    settings = context.settings
    if not settings["sqlalchemy.pooler"]:
        raise CommandError("sqlalchemy.pooler is false: the role needs no settings.")
    role = make_url(settings["sqlalchemy.url"]).username
    database = make_url(settings.direct_url).database
    if not role or not database:
        raise CommandError("sqlalchemy.url must name the role, sqlalchemy.direct_url the database.")
    statements = role_settings(ConnectionOptions.from_settings(settings), role, database)
    context.output(";\n".join(statements) + ";", statements=statements)


@db.command()
@click.argument("owner")
@click.argument("writer")
@pass_context
def grants(context: Context, owner: str, writer: str) -> None:
    """Print SQL that lets the role WRITER run the service on the tables of OWNER.

    The log of moderation is then out of the service's reach: it adds records, and nothing else.
    """
    if owner == writer:
        raise click.UsageError("OWNER and WRITER must be two roles.")
    database = context.current_database()
    if database.is_sqlite:
        raise CommandError("sqlalchemy.url: SQLite has no roles.")
    from ..db import grants

    with database.reads.connect() as db:
        schema, name = db.execute(text("SELECT current_schema(), current_database()")).one()
        others = sorted(grants.owners(db) - {owner})
    if others:
        raise CommandError(
            f"Tables belong to {', '.join(others)}. Let a superuser of PostgreSQL run in the "
            f'database {name}: REASSIGN OWNED BY "{others[0]}" TO "{owner}"'
        )
    statements = grants.statements(
        grants.Roles(name, schema, owner, writer),
        append_only=migrate.APPEND_ONLY,
        read_only=migrate.READ_ONLY,
    )
    context.output(";\n".join(statements) + ";", statements=statements)


@db.command()
@yes_option
@pass_context
def adopt(context: Context, yes: bool) -> None:
    """Let a copied or moved database send its emails and webhooks from here on."""
    site_url = context.settings["site.url"]
    with context.current_database().reads.connect() as reads:
        why = deployment.why_it_sends_nothing(reads, site_url)
    if why is None:
        context.output("This database sends already.", adopted=False)
        return
    context.confirm(
        f"{why[0].upper()}{why[1:]}. Emails and webhooks that wait in it are sent. "
        "If the original sends, too, people get them twice.",
        yes=yes,
    )
    with context.transaction() as db:
        deployment.adopt(db, site_url)
    context.output("This database sends from here on.", adopted=True)


@db.command()
@click.option("--fix", is_flag=True, help="Fix what is wrong.")
@yes_option
@pass_context
def check(context: Context, fix: bool, yes: bool) -> None:
    """Recount every counter; find notifications without a target, and words of newer versions."""
    database = context.current_database()
    with (
        Progress("Checking", counters.STEPS) as bar,
        database.reads.connect() as reads,
    ):
        findings = counters.check(reads, progress=bar.advance)
        unknown = unknown_words.count(reads)
    wrong = sum(finding.wrong for finding in findings)
    if fix and wrong:
        context.confirm(_consequences(findings), yes=yes)
        with Progress("Fixing", 2 * counters.STEPS) as bar:
            findings = _fix(database, done=bar.advance)
        wrong = sum(finding.wrong for finding in findings)
    checked = sum(finding.checked for finding in findings)
    fixed = wrong if fix else 0
    lines = [f"{finding.name}: {finding.wrong} wrong" for finding in findings if finding.wrong]
    lines += [
        f"{column}: {number} rows hold {word!r}, which this version does not know."
        for column, words in unknown.items()
        for word, number in words.items()
    ]
    lines.append(f"{checked} checked, {wrong} wrong, {fixed} fixed.")
    context.output("\n".join(lines), checked=checked, wrong=wrong, fixed=fixed, unknown=unknown)
    if wrong > fixed:
        raise CommandError(f"{wrong} of {checked} are wrong; --fix fixes them.")


def _consequences(findings: list[Finding]) -> str:
    lines = [f"  {finding.name}: {finding.wrong}" for finding in findings if finding.wrong]
    return "\n".join(
        [
            "Wrong counters are overwritten by their recount, and notifications without a target",
            "are deleted for good:",
            *lines,
        ]
    )


def _fix(database: Database, done: Callable[[], None]) -> list[Finding]:
    """Fix what is wrong and return what was found, in one snapshot of the database."""
    with database.session.begin() as session:
        if not database.is_sqlite:
            session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        findings = counters.check(session, progress=done)
        counters.fix(session, progress=done)
        return findings
