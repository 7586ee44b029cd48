"""Renders texts again after an upgrade that brought a new version of the renderer."""

from dataclasses import replace

from ..db.engine import Database
from ..errors import Unavailable
from ..markup import Renderer
from ..services.posts.authoring import Authoring
from ..services.posts.rerendering import Rerendering
from ..settings import Settings
from .job_runner import JobFailed
from .periodic import Parts


def rerender(database: Database, authoring: Authoring, settings: Settings) -> Parts:
    """Render the texts of older versions, a few at a time, in one process of its own.

    Where it is stopped, another run continues: the version of each text is stored beside it. Texts
    of newer versions are left alone: hosts may be upgraded one after another. authoring: the
    service's, of which the rules of links are used.
    """
    renderer = Renderer(
        1,
        settings["markup.timeout"],
        settings["site.url"],
        wall_seconds=settings["markup.wall_seconds"],
    )
    rerendering = Rerendering(database, replace(authoring, renderer=renderer), 1)
    try:
        while rerendering.run_batch():
            yield 1
    except Unavailable as error:
        raise JobFailed(str(error)) from error
    finally:
        renderer.close()
