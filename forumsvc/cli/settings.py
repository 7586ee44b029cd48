"""`forumsvc settings`: the values in force, and the description of all settings."""

from typing import Any

import click

from ..settings import DECLARED, Setting
from .command import Command
from .context import Context, pass_context


@click.command(cls=Command)
@click.option(
    "--describe",
    is_flag=True,
    help="Print the type, unit, default and meaning of each instead; needs no ini file.",
)
@pass_context
def settings(context: Context, describe: bool) -> None:
    """Print every setting in force.

    Secrets are masked, URLs are shown without their passwords, defaults are marked.
    """
    if describe:
        result = {setting.name: _to_dict(setting) for setting in DECLARED}
        context.output("\n\n".join(map(_to_text, DECLARED)), **result)
        return
    rows = list(context.settings.displayed())
    width = max(len(setting.name) for setting, _, _ in rows)
    lines = (
        f"{setting.name:{width}} = {shown}{'  (default)' if is_default else ''}"
        for setting, shown, is_default in rows
    )
    in_force = {
        setting.name: {"value": _value(context, setting, shown), "default": is_default}
        for setting, shown, is_default in rows
    }
    context.output("\n".join(lines), **in_force)


def _value(context: Context, setting: Setting, shown: str) -> Any:
    """Return the value as JSON; a secret as `shown`, which is masked."""
    value = context.settings[setting.name]
    if setting.secret:
        return shown
    return sorted(value) if isinstance(value, frozenset) else value


def _to_dict(setting: Setting) -> dict[str, Any]:
    """Return the declaration of a setting; a default of None means that it is required."""
    return {
        "type": setting.type.name,
        "allowed": setting.type.allowed,
        "unit": setting.counted_unit or None,
        "default": setting.default,
        "meaning": setting.meaning,
        "secret": setting.secret,
    }


def _to_text(setting: Setting) -> str:
    default = "none, it is required" if setting.default is None else setting.default or "(empty)"
    unit = f" ({setting.counted_unit})" if setting.counted_unit else ""
    return (
        f"{setting.name}\n"
        f"    {setting.meaning}\n"
        f"    type: {setting.type.name}: {setting.type.allowed}{unit}\n"
        f"    default: {default}"
    )
