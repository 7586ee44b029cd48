"""Bringing stored HTML up to date with the renderer, beside a service that goes on writing."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from ...cache import invalidation
from ...db.engine import Database
from ...db.statements import update_of
from ...markup import RENDERER_VERSION, RenderedText
from ...queries import outdated
from ...queries.outdated import Post
from .authoring import Authoring

_BATCH = 100


@dataclass(slots=True)
class Tally:
    """What became of the texts, in numbers: rendered anew; escaped, because they cannot be
    rendered; edited or rendered by somebody else meanwhile, so left alone."""

    rendered: int = 0
    escaped: int = 0
    overtaken: int = 0


class Rerendering:
    """Renders what other versions of the renderer made, batch by batch, each committed by itself.

    However it is stopped, what is committed stays, and the next run goes on with the rest. Nobody
    is notified, and `updated_at` stays as it is.
    """

    def __init__(self, database: Database, authoring: Authoring, workers: int) -> None:
        """workers: how many texts are rendered at the same time."""
        self._database = database
        self._authoring = authoring
        self._workers = workers

    def run(self, *, done: Callable[[int], None] = lambda number: None) -> Tally:
        """Render all that is outdated.

        done: called with the number of texts after each batch. Raises Unavailable where the workers
        cannot be started, or where the machine has no time for them.
        """
        tally = Tally()
        pool = ThreadPoolExecutor(self._workers)
        try:
            with self._database.reads.connect() as reads:
                for post in outdated.POSTS:
                    for batch in outdated.batches(reads, post, RENDERER_VERSION, _BATCH):
                        texts = [row.body for row in batch]
                        drafts = list(pool.map(self._authoring.renderer.render, texts))
                        html = [self._authoring.link(reads, draft) for draft in drafts]
                        self._store(post, batch, drafts, html, tally)
                        done(len(batch))
        finally:
            pool.shutdown(cancel_futures=True)
        return tally

    def _store(
        self,
        post: Post,
        batch: Sequence[Row[Any]],
        drafts: Sequence[RenderedText],
        html: Sequence[str],
        tally: Tally,
    ) -> None:
        """Write a batch's HTML in one short transaction, but for texts that changed meanwhile."""
        # Everybody who changes several rows of a table does so in the order of their ids.
        rows = sorted(zip(batch, drafts, html, strict=True), key=lambda each: each[0].id)
        with self._database.session.begin() as db:
            invalidation.note(db, invalidation.NAMES)
            for row, draft, made in rows:
                same = (row.markup_version, row.body_html) == (draft.version, made)
                kept = (
                    same
                    or db.execute(
                        update_of(post)
                        .where(
                            post.id == row.id,
                            post.body == row.body,
                            post.markup_version == row.markup_version,
                        )
                        .values(body_html=made, markup_version=draft.version)
                        .returning(post.id)
                    ).first()
                )
                if kept is None:
                    tally.overtaken += 1
                elif draft.fallback is None:
                    tally.rendered += 1
                else:
                    tally.escaped += 1
