"""`forumsvc review …`: the queue of moderators."""

from typing import Any

import click

from ..models import Decision, ReviewKind, ReviewState, Role
from ..schemas.restrictions import MAX_DAYS
from .api_client import Api, picked_values
from .command import Group
from .context import CommandError, Context, pass_context
from .options import limit_option, one_of

_VALUES = (
    *("id", "kind", "obj_type", "obj_id", "user", "title", "reports_count"),
    *("state", "decision", "opened_at"),
)
_REPORT = ("reporter", "category", "comment", "text")


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
def list_(context: Context, limit: int, **parameters: Any) -> None:
    """List what waits for a decision, the oldest first, or what was decided."""
    result = Api(context).rows("/reviews", _VALUES, limit, **parameters)
    context.output_list("reviews", [*map(_to_dict, result)], "There is nothing to decide.")


@review.command()
@click.argument("review_id", metavar="ID", type=int)
@pass_context
def show(context: Context, review_id: int) -> None:
    """Show a review: what it is about, and who reported it."""
    results = Api(context).call(f"GET /reviews/{review_id}").json
    reports = [picked_values(item, _REPORT) for item in results["reports"]]
    text = results["object"].get("body")
    result = {
        **_to_dict(picked_values(results, _VALUES)),
        "reason": results["reason"],
        "text": text,
    }
    lines = [
        ("report", f"{one['reporter']}: {one['category']} {one['comment']}") for one in reports
    ]
    context.output_details(result, *lines, reports=reports)


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
    api, path = Api(context), f"/reviews/{review_id}"
    before = api.call(f"GET {path}").json
    author = before["author"]
    if silence_days and author["level"] == Role.ADMIN:
        raise CommandError(f"{author['login']} is an admin, whom nobody can silence.")
    verdict = {"decision": decision, "reason": reason.strip(), "silence_days": silence_days}
    api.call(f"POST {path}/resolve", **verdict)
    changed = before["state"] == ReviewState.OPEN
    done = "Decided" if changed else "It was decided so before"
    context.output(f"{done}: {decision}.", id=review_id, decision=decision, changed=changed)


def _to_dict(values: dict[str, Any]) -> dict[str, Any]:
    """Return values of a review as they are printed, with its object in one."""
    subject = f"{values.pop('obj_type')} {values.pop('obj_id')}"
    return {"id": values.pop("id"), "kind": values.pop("kind"), "about": subject, **values}
