"""`forumsvc settings`: what is in force."""

from typing import Any

import click

from ..settings import Setting
from .command import Command
from .context import Context, pass_context


@click.command(cls=Command)
@pass_context
def settings(context: Context) -> None:
    """Print every setting in force.

    Secrets are masked, defaults are marked.
    """
    rows = list(context.settings.shown())
    width = max(len(setting.name) for setting, _, _ in rows)
    lines = (
        f"{setting.name:{width}} = {shown}{'  (default)' if is_default else ''}"
        for setting, shown, is_default in rows
    )
    result = {
        setting.name: {"value": _value(context, setting, shown), "default": is_default}
        for setting, shown, is_default in rows
    }
    context.answer("\n".join(lines), **result)


def _value(context: Context, setting: Setting, shown: str) -> Any:
    """Return the value as JSON can hold it; `shown` is masked where it is a secret."""
    value = context.settings[setting.name]
    if setting.secret:
        return shown
    return sorted(value) if isinstance(value, frozenset) else value
