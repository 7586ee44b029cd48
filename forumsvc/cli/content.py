"""`forumsvc content …`: the texts of topics and replies."""

import os

from ..markup import RENDERER_VERSION, Renderer
from ..queries import outdated_html
from ..services.posts.authoring import Authoring
from ..services.posts.rerendering import Rerendering
from ..services.posts.rules import Rules
from .command import Group
from .context import Context, pass_context
from .terminal import Progress

# No user waits for these texts, and one that fails is shown unformatted: allow more time.
_TIMEOUT_FACTOR = 3


content = Group("content")


@content.command()
@pass_context
def rerender(context: Context) -> None:
    """Render the texts that an older version of the renderer rendered.

    The service may run meanwhile. You may stop it at any time: the next run continues.
    """
    database = context.current_database()
    settings = context.settings
    worker_count = len(os.sched_getaffinity(0))
    renderer = Renderer(
        worker_count,
        _TIMEOUT_FACTOR * settings["markup.timeout"],
        settings["site.url"],
        wall_seconds=_TIMEOUT_FACTOR * settings["markup.wall_seconds"],
    )
    authoring = Authoring(renderer, settings["site.user_url"], 0, Rules())
    try:
        with database.reads.connect() as reads:
            total = outdated_html.count(reads, RENDERER_VERSION)
        with Progress("Rendering", total) as bar:
            stats = Rerendering(database, authoring, worker_count).run(progress=bar.advance)
    finally:
        renderer.close()
    context.output(
        f"{total} outdated, {stats.rendered} rendered, {stats.escaped} that cannot be rendered "
        f"and are shown escaped, {stats.skipped} changed meanwhile.",
        outdated=total,
        rendered=stats.rendered,
        escaped=stats.escaped,
        overtaken=stats.skipped,
    )
