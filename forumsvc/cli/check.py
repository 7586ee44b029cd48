"""`forumsvc check`: finds errors in the configuration."""

import click

from ..diagnostics import Level, diagnose
from .command import Command
from .context import Context, pass_context


@click.command(cls=Command)
@click.option(
    "--file-only", is_flag=True, help="Check the file alone, and no database or other server."
)
@pass_context
@click.pass_context
def check(ctx: click.Context, context: Context, file_only: bool) -> None:
    """Find configuration errors that would stop the service or fail later.

    Checks the settings, [server:main], database, photo storage, mail server and Redis. Nothing
    that a check creates stays, and no mail is sent. Run it as the user of the service. The exit
    status is 1 if there is an error; warnings alone give 0.
    """
    problems = diagnose(context.ini_path, context.section("app:main"), file_only=file_only)
    errors = sum(problem.level is Level.ERROR for problem in problems)
    warnings = len(problems) - errors
    lines = [f"{problem.level}: {problem.message}" for problem in problems]
    context.output(
        "\n".join(lines) or "Nothing is wrong.",
        problems=[{"level": each.level, "message": each.message} for each in problems],
        errors=errors,
        warnings=warnings,
    )
    if errors:
        click.echo(f"Error: {_count(errors, 'error')}, {_count(warnings, 'warning')}.", err=True)
        ctx.exit(1)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
