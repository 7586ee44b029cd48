"""`forumsvc content …`: what authors wrote."""

import os

import click

from ..markup import RENDERER_VERSION, Renderer
from ..queries import outdated_html
from ..services.content.authoring import Authoring
from ..services.content.rerendering import Rerendering
from ..services.content.rules import Rules
from .command import Group
from .context import Context, pass_context, progress

# Nobody waits for these texts, and those that fail are shown escaped: they get more time.
_MORE_TIME = 3


@click.group(cls=Group)
def content() -> None:
    """Look after the texts."""


@content.command()
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1, 64),
    help="Texts rendered at the same time; as many as there are processor cores by default.",
)
@pass_context
def rerender(context: Context, workers: int | None) -> None:
    """Render the texts that another version of the renderer made.

    The service may run meanwhile. Stop it at any time: the next run goes on with the rest.
    """
    database = context.current_database()
    settings = context.settings
    at_once = workers or len(os.sched_getaffinity(0))
    renderer = Renderer(
        at_once,
        _MORE_TIME * settings["markup.timeout"],
        settings["site.url"],
        wall_seconds=_MORE_TIME * settings["markup.wall_seconds"],
    )
    authoring = Authoring(renderer, settings["site.user_url"], 0, Rules())
    try:
        with database.reads.connect() as reads:
            total = outdated_html.count(reads, RENDERER_VERSION)
        with progress() as bar:
            task = bar.add_task("Rendering", total=total)
            tally = Rerendering(database, authoring, at_once).run(
                progress=lambda number: bar.advance(task, number)
            )
    finally:
        renderer.close()
    context.answer(
        f"{total} outdated, {tally.rendered} rendered, {tally.escaped} that cannot be rendered "
        f"and are shown escaped, {tally.skipped} changed meanwhile.",
        outdated=total,
        rendered=tally.rendered,
        escaped=tally.escaped,
        overtaken=tally.skipped,
    )
