"""`forumsvc review …`: the queue of moderators."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from .. import clock
from ..db.keyset_paging import PageRequest
from ..errors import Conflict, NotFound
from ..models import Decision, ReviewKind, ReviewState, Role
from ..presenters.reviews import object_of
from ..queries import held_posts, replies, reports, reviews, topics
from ..queries.reviews import ReviewFilter, ReviewOrder, ReviewRow
from ..queries.rows import UserRow
from ..schemas.restrictions import MAX_DAYS
from ..services import accounts
from ..services.moderation import decisions
from ..services.moderation.decisions import Verdict
from .command import Group
from .context import Context, pass_context
from .options import check_texts, limit_option, one_of

review = Group("review")


@review.command("list")
@click.option(
    "--state",
    type=one_of(ReviewState),
    default=str(ReviewState.OPEN),
    show_default=True,
)
@click.option("--kind", type=one_of(ReviewKind))
@limit_option
@pass_context
def list_(context: Context, state: str, kind: str | None, limit: int) -> None:
    """List what waits for a decision, the oldest first, or what was decided."""
    database = context.current_database()
    wanted, page = ReviewFilter(state, kind), PageRequest(limit=limit)
    found = reviews.page_of(database.executor, wanted, ReviewOrder.OLDEST, page).rows
    records = [_to_dict(row) for row in found]
    context.output_list("reviews", records, "There is nothing to decide.")


@review.command()
@click.argument("review_id", metavar="ID", type=int)
@pass_context
def show(context: Context, review_id: int) -> None:
    """Show a review: what it is about, and who reported it."""
    db = context.current_database().executor
    row = _found(reviews.by_id(db, review_id), review_id)
    said = [
        {
            "reporter": one.reporter_login,
            "category": one.category,
            "comment": one.comment,
            "text": one.text,
        }
        for one in reports.of_review(db, review_id)
    ]
    result = {**_to_dict(row), "reason": row.reason, "text": _text(db, row)}
    lines = [("report", f"{one['reporter']}: {one['category']} {one['comment']}") for one in said]
    context.output_details(result, *lines, reports=said)


@review.command()
@click.argument("review_id", metavar="ID", type=int)
@click.option("--decision", type=one_of(Decision), required=True)
@click.option(
    "--reason", metavar="R", default="", help="Why; the author and the reporters are told."
)
@click.option(
    "--silence-days", type=click.IntRange(1, MAX_DAYS), metavar="N", help="Silence the author, too."
)
@pass_context
def resolve(
    context: Context, review_id: int, decision: str, reason: str, silence_days: int | None
) -> None:
    """Decide: approve, hide, delete or dismiss. The author and the reporters are told."""
    reason, _ = check_texts(reason, is_required=False)
    now = clock.now()
    executor = context.current_database().executor
    seen = _found(reviews.by_id(executor, review_id), review_id)
    with _publisher(context) as authoring, context.transaction() as db:
        publication = decisions.render_held(executor, authoring, seen, Decision(decision))
        row = _found(reviews.by_id(db, review_id, lock=True), review_id)
        verdict = Verdict(
            Decision(decision),
            reason or None,
            silence_days=silence_days,
            publication=publication,
        )

        def lock_author() -> UserRow:
            user = accounts.lock(db, row.author_login)
            if user.role == Role.ADMIN:
                raise Conflict(f"{user.user_login} is an admin, whom nobody can silence.")
            return user

        changed = decisions.resolve(db, None, now, row, verdict, lock_author)
    said = "Decided" if changed else "It was decided so before"
    context.output(f"{said}: {decision}.", id=review_id, decision=decision, changed=changed)


def _found(row: ReviewRow | None, review_id: int) -> ReviewRow:
    if row is None:
        raise NotFound(f"There is no review {review_id}.")
    return row


def _text(db: Any, row: ReviewRow) -> str | None:
    """Return the Markdown of what a review is about, None for a user."""
    found: Any = None
    if row.held_post_id is not None:
        found = held_posts.by_id(db, row.held_post_id)
    elif row.reply_id is not None:
        found = replies.by_id(db, row.reply_id)
    elif row.topic_id is not None:
        found = topics.by_id(db, row.topic_id)
    return None if found is None else str(found.body)


def _to_dict(row: Any) -> dict[str, Any]:
    kind, obj_id = object_of(row.object_key)
    return {
        "id": row.id,
        "kind": row.kind,
        "about": f"{kind} {obj_id}",
        "user": row.author_login,
        "title": row.title,
        "reports_count": row.reports_count,
        "state": row.state,
        "decision": row.decision,
        "opened_at": row.opened_at,
    }


@contextmanager
def _publisher(context: Context) -> Iterator[Any]:
    """Yield what a held post is published with: the renderer starts with the first text."""
    from ..services.content.authoring import authoring_from_settings

    authoring = authoring_from_settings(context.settings, context.ini_dir, 1)
    try:
        yield authoring
    finally:
        authoring.renderer.close()
