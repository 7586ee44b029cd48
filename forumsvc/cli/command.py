"""Commands and groups that accept `--json` at any place of the command line."""

from typing import Any

import click

from .context import Context


def _enable_json(ctx: click.Context, param: click.Parameter, enabled: bool) -> None:
    if enabled:
        ctx.ensure_object(Context).as_json = True


def _json_option() -> click.Option:
    return click.Option(
        ["--json"],
        is_flag=True,
        expose_value=False,
        callback=_enable_json,
        help="Print one JSON object, and nothing else, on standard output.",
    )


class Command(click.Command):
    """A command with the option `--json`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(_json_option())


class Group(click.Group):
    """A group with the option `--json`, like its commands."""

    command_class = Command
    group_class = type

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(_json_option())
