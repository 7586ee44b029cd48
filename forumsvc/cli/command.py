"""Commands and groups that take `--json` before or after every word of the command line."""

from typing import Any

import click

from .context import Context


def _want_json(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted:
        ctx.ensure_object(Context).as_json = True


def _json_option() -> click.Option:
    return click.Option(
        ["--json"],
        is_flag=True,
        expose_value=False,
        callback=_want_json,
        help="Print one JSON object, and nothing else, on standard output.",
    )


class Command(click.Command):
    """A command that takes `--json`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(_json_option())


class Group(click.Group):
    """A group that takes `--json`, as its commands do."""

    command_class = Command
    group_class = type

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(_json_option())
