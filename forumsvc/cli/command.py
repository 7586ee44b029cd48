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


SUMMARIES = {
    "access": "Block networks and email addresses, list and remove blocks.",
    "api": "Call any endpoint of the API.",
    "backup": "Make a backup of rows and photos; verify one.",
    "cache": "Invalidate cached pages after a change by SQL.",
    "check": "Find what is wrong before the start: `doctor --before-start`.",
    "compare": "Compare two forums, each an ini file or a dump.",
    "config": "Write a production.ini; print the example files.",
    "client": "Register, list and remove OAuth clients.",
    "content": "Maintain the texts of topics and replies.",
    "db": "Set up, upgrade and check the database.",
    "doctor": "Find what is wrong before the start and while the service runs.",
    "demo": "Fill a database without users with a demo community.",
    "dump": "Write all that the forum has into a folder or a tar.",
    "events": "List events, and how far each consumer has read them.",
    "load": "Load a dump into an empty database.",
    "log": "List what moderators and administrators did.",
    "jobs": "List, retry and discard what the background worker is to do.",
    "mail": "Test the mail server.",
    "node": "Add, list, edit and delete nodes.",
    "photos": "Maintain the stored photos.",
    "restore": "Restore a backup into an empty database.",
    "review": "See and decide what moderators have to look at.",
    "section": "Add, list, edit and delete sections, the groups of nodes.",
    "search": "Make, check and explain the index of the search.",
    "site": "Show and set the name, the texts and the logo of the site.",
    "settings": "Print every setting in force.",
    "token": "Issue, list, revoke and purge access tokens.",
    "user": "Add, find, change, restrict and delete users.",
    "webhook": "Add, list and delete webhooks, and send again.",
    "work": "Run the background worker alone.",
}
"""Each command, which is the attribute of that name in the module of that name, and its summary."""


class Command(click.Command):
    """A command with the option `--json`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(_json_option())


class Group(click.Group):
    """A group with the option `--json`, like its commands, and its summary as its help."""

    command_class = Command

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(name, **{"help": SUMMARIES.get(name), **kwargs})
        self.params.append(_json_option())
