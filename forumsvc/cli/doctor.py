"""`forumsvc doctor`, and `forumsvc check`, which is its part before the start."""

import click

from ..doctor import Level, examine
from .command import Command
from .context import Context, pass_context

_file_only = click.option(
    "--file-only", is_flag=True, help="Before the start, and the file alone: no other server."
)


@click.command(cls=Command)
@click.option("--before-start", is_flag=True, help="The configuration alone, as `check` does.")
@_file_only
@click.option("--deep", is_flag=True, help="Also read the whole SQLite file; may take minutes.")
@pass_context
@click.pass_context
def doctor(
    ctx: click.Context, context: Context, before_start: bool, file_only: bool, deep: bool
) -> None:
    """Find what is wrong before the start and while the service runs.

    It says what to do. Run it on each host, as the user of the service. Nothing that it creates
    stays, and no mail is sent. The exit status is 1 if there is an error; warnings alone give 0.
    """
    findings = examine(
        context.ini_path,
        context.section("app:main"),
        before_start=before_start,
        file_only=file_only,
        deep=deep,
    )
    counts = {level: sum(finding.level is level for finding in findings) for level in Level}
    lines = [f"{entry.level}: {entry.area}: {entry.message}" for entry in findings]
    if not counts[Level.ERROR] + counts[Level.WARNING]:
        lines.append("Nothing is wrong.")
    context.output(
        "\n".join(lines),
        findings=[
            {"level": finding.level, "area": finding.area, "message": finding.message}
            for finding in findings
        ],
        errors=counts[Level.ERROR],
        warnings=counts[Level.WARNING],
        infos=counts[Level.INFO],
    )
    if counts[Level.ERROR]:
        ctx.exit(1)


@click.command(cls=Command)
@_file_only
@click.pass_context
def check(ctx: click.Context, file_only: bool) -> None:
    """Find what is wrong before the start: `doctor --before-start`."""
    ctx.invoke(doctor, before_start=True, file_only=file_only)
