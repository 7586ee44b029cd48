"""`forumsvc doctor`: examines the running service."""

from pathlib import Path

import click

from ..diagnostics import Level, server
from ..doctor import Installation, examine
from ..settings import SettingsError
from .command import Command
from .context import CommandError, Context, pass_context


@click.command(cls=Command)
@click.option("--deep", is_flag=True, help="Also read the whole SQLite file; may take minutes.")
@pass_context
@click.pass_context
def doctor(ctx: click.Context, context: Context, deep: bool) -> None:
    """Examine the running service, and say what is wrong and what to do.

    Includes what `check` finds. Run it on each host, as the user of the service. Nothing is
    changed, and no mail is sent. The exit status is 1 if there is an error; warnings alone give 0.
    """
    ini = context.ini_path.resolve()
    application = context.section("app:main")
    findings = examine(ini, application, _installation(context, ini, deep=deep))
    counts = {level: sum(each.level is level for each in findings) for level in Level}
    lines = [f"{each.level}: {each.area}: {each.message}" for each in findings]
    if not counts[Level.ERROR] + counts[Level.WARNING]:
        lines.append("Nothing is wrong.")
    context.output(
        "\n".join(lines),
        findings=[
            {"level": each.level, "area": each.area, "message": each.message} for each in findings
        ],
        errors=counts[Level.ERROR],
        warnings=counts[Level.WARNING],
        infos=counts[Level.INFO],
    )
    if counts[Level.ERROR]:
        ctx.exit(1)


def _installation(context: Context, ini: Path, *, deep: bool) -> Installation | None:
    """Return what is examined, or None where the findings of the configuration say why not."""
    try:
        settings, database = context.settings, context.database
    except (SettingsError, CommandError):
        return None
    return Installation(ini, settings, server.read(ini).options, database, deep)
