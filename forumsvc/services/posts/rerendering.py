"""Rendering stored texts again after a change of the renderer, while the service runs."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from ... import clock
from ...cache import invalidation
from ...db.engine import Database
from ...db.execution import SqlConnection
from ...db.statements import update_of
from ...markup import RENDERER_VERSION, RenderedText
from ...models import Reply, ReplyWords, Topic, TopicWords
from ...queries import outdated_html
from ...queries.outdated_html import Post
from ..search import indexing
from .authoring import Authoring

_BATCH = 20
"""Texts per transaction; on SQLite all other writers wait until they are indexed."""
_WORDS: dict[Post, Any] = {Topic: TopicWords, Reply: ReplyWords}
"""Where the tokens of a post are; a former text is not found by the search."""


@dataclass(slots=True)
class RerenderStats:
    """The numbers of texts that were rendered; escaped, because they cannot be rendered; and
    skipped, because another transaction changed them in the meantime.
    """

    rendered: int = 0
    escaped: int = 0
    skipped: int = 0


class Rerendering:
    """Renders the texts of other renderer versions again, in batches with a commit each.

    If it is stopped, the next run continues. It notifies nobody and does not change `updated_at`.
    """

    def __init__(self, database: Database, authoring: Authoring, workers: int) -> None:
        """workers: how many texts are rendered at the same time."""
        self._database = database
        self._authoring = authoring
        self._workers = workers

    def run(self, *, progress: Callable[[int], None] = lambda number: None) -> RerenderStats:
        """Render all outdated texts.

        progress: called with the number of texts after each batch. Raises Unavailable if the
        workers cannot be started, or the machine is overloaded.
        """
        stats = RerenderStats()
        pool = ThreadPoolExecutor(self._workers)
        try:
            with self._database.reads.connect() as reads:
                for post in outdated_html.POSTS:
                    for batch in outdated_html.batches(reads, post, RENDERER_VERSION, _BATCH):
                        rendered_texts = list(pool.map(self._render, batch))
                        self._store(reads, post, batch, rendered_texts, stats)
                        progress(len(batch))
        finally:
            pool.shutdown(cancel_futures=True)
        return stats

    def run_batch(self) -> bool:
        """Render a few texts of older versions, one after another; return whether there were any.

        Those that cannot be rendered are not tried again. Raises as `run`.
        """
        with self._database.reads.connect() as reads:
            for post in outdated_html.POSTS:
                batch = outdated_html.older(reads, post, RENDERER_VERSION, _BATCH)
                if batch:
                    rendered_texts = [self._render(row) for row in batch]
                    self._store(reads, post, batch, rendered_texts, RerenderStats())
                    return True
        return False

    def _render(self, row: Row[Any]) -> RenderedText:
        return self._authoring.renderer.render(row.body)

    def _store(
        self,
        reads: SqlConnection,
        post: Post,
        batch: Sequence[Row[Any]],
        rendered_texts: Sequence[RenderedText],
        stats: RerenderStats,
    ) -> None:
        """Store a batch's HTML in one short transaction, except for texts that were changed.

        Where the HTML is the same, cached pages stay valid. All are found as this version has it.
        """
        html = [
            self._authoring.link_mentions(reads, rendered, before=row.body_html)
            for row, rendered in zip(batch, rendered_texts, strict=True)
        ]
        # Rows are changed in the order of their ids everywhere, to avoid deadlocks.
        rows = sorted(zip(batch, rendered_texts, html, strict=True), key=lambda entry: entry[0].id)
        changed = [row.id for row, _, made in rows if row.body_html != made]
        words = _WORDS.get(post)
        if words is not None:
            # Of the others the document may be of an older version of the tokens.
            others = sorted({row.id for row in batch}.difference(changed))
            indexing.index(self._database, words, others)
        with self._database.session.begin() as db:
            if changed and words is not None:
                indexing.lock(db, clock.now())
                invalidation.invalidate(db, invalidation.DISPLAY_NAMES)
            for row, rendered, made in rows:
                is_same = (row.markup_version, row.body_html) == (rendered.version, made)
                is_shown = row.body_html != made
                update = (
                    (update_of if is_shown else invalidation.update_without_invalidation)(post)
                    .where(
                        post.id == row.id,
                        post.body == row.body,
                        post.body_html == row.body_html,
                        post.markup_version == row.markup_version,
                    )
                    .values(body_html=made, markup_version=rendered.version)
                )
                if not is_same and db.execute(update.returning(post.id)).first() is None:
                    stats.skipped += 1
                elif rendered.fallback is None:
                    stats.rendered += 1
                else:
                    stats.escaped += 1
            if words is not None:
                indexing.index_now(db, words, changed)
