"""`forumsvc check`: what is wrong with the configuration."""

import click

from ..diagnostics import Level, diagnose
from .command import Command
from .context import Context, pass_context


@click.command(cls=Command)
@pass_context
@click.pass_context
def check(ctx: click.Context, context: Context) -> None:
    """Find what the service would refuse at its start, or fail at in use.

    Settings, [server:main], database, photo storage, mail server and Redis are tried; nothing that
    a check makes stays, and no mail is sent. Run it as the user of the service. Exits with 1 where
    there is an error; warnings alone are 0.
    """
    problems = diagnose(context.ini_path, context.section("app:main"))
    errors = sum(problem.level is Level.ERROR for problem in problems)
    warnings = len(problems) - errors
    lines = [f"{problem.level}: {problem.message}" for problem in problems]
    context.answer(
        "\n".join(lines) or "Nothing is wrong.",
        problems=[{"level": each.level, "message": each.message} for each in problems],
        errors=errors,
        warnings=warnings,
    )
    if errors:
        click.echo(f"Error: {_many(errors, 'error')}, {_many(warnings, 'warning')}.", err=True)
        ctx.exit(1)


def _many(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
