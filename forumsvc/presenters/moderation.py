"""Restrictions and the log of moderation."""

import json
from typing import Any

from ..clock import rfc3339, rfc3339_or_none
from ..models import HoldReason, RestrictionKind
from ..queries.moderation_rows import (
    AccessBlockRow,
    HeldPostRow,
    LogRow,
    ReportRow,
    RestrictionRow,
    ReviewListRow,
)
from ..texts import Message
from .site import Site


def restriction(site: Site, row: RestrictionRow) -> dict[str, Any]:
    """Return a silence or a warning. active: whether a silence holds now."""
    is_silence = row.kind == RestrictionKind.SILENCE
    has_ended = row.lifted_at is not None or (row.until is not None and row.until <= site.now)
    return {
        "id": row.id,
        "kind": row.kind,
        "reason": row.reason,
        "note": row.note,
        "by": person(site, row, "by"),
        "topic_id": row.topic_id,
        "reply_id": row.reply_id,
        "active": is_silence and not has_ended,
        "started_at": rfc3339(row.started_at),
        "until": rfc3339_or_none(row.until),
        "lifted_at": rfc3339_or_none(row.lifted_at),
    }


def report(row: ReportRow) -> dict[str, Any]:
    """Return a report as its reporter sees it."""
    obj_type, obj_id = object_of(row.object_key)
    return {
        "id": row.id,
        "obj_type": obj_type,
        "obj_id": obj_id,
        "category": row.category,
        "comment": row.comment,
        "state": row.state,
        "created_at": rfc3339(row.created_at),
        "resolved_at": rfc3339_or_none(row.resolved_at),
    }


def report_with_reporter(site: Site, row: Any) -> dict[str, Any]:
    """Return a report as moderators see it."""
    return {**report(row), "text": row.text, "reporter": person(site, row, "reporter")}


def review(site: Site, row: ReviewListRow) -> dict[str, Any]:
    """Return a review as the queue shows it."""
    obj_type, obj_id = object_of(row.object_key)
    return {
        "id": row.id,
        "kind": row.kind,
        "obj_type": obj_type,
        "obj_id": obj_id,
        "topic_id": row.topic_id,
        "title": row.title,
        "user": person(site, row, "author"),
        "reports_count": row.reports_count,
        "weight": row.weight,
        "hidden": row.is_hidden,
        "state": row.state,
        "decision": row.decision,
        "reason": row.reason,
        "resolved_by": person(site, row, "resolver"),
        "version": row.version,
        "opened_at": rfc3339(row.opened_at),
        "resolved_at": rfc3339_or_none(row.resolved_at),
    }


_HOLD_REASONS = {
    HoldReason.FIRST_POST: Message("It is one of your first posts."),
    HoldReason.WORD: Message("It holds a word that moderators look at."),
    HoldReason.LINKS: Message("It has many links or images for a first post."),
}


def hold_reason(reason: str) -> str:
    """Return why a post is held, in words for its author."""
    return _HOLD_REASONS[HoldReason(reason)]


def held_post(site: Site, row: HeldPostRow) -> dict[str, Any]:
    """Return a post that waits for a moderator. topic_id, reply_id: of the published post, too."""
    return {
        "id": row.id,
        "kind": row.kind,
        "reason": hold_reason(row.reason),
        "state": row.state,
        "node_id": row.node_id,
        "topic_id": row.topic_id,
        "reply_id": row.reply_id,
        "title": row.title,
        "body": row.body,
        "user": person(site, row, "user"),
        "created_at": rfc3339(row.created_at),
    }


def object_of(key: str) -> tuple[str, int]:
    """Return the type and the id of what a review is about."""
    obj_type, _, obj_id = key.partition(":")
    return obj_type, int(obj_id)


def access_block(site: Site, row: AccessBlockRow) -> dict[str, Any]:
    """Return a block. active: whether it has not ended."""
    return {
        "id": row.id,
        "kind": row.kind,
        "value": row.value,
        "severity": row.severity,
        "reason": row.reason,
        "by": person(site, row, "by"),
        "active": row.expires_at is None or row.expires_at > site.now,
        "created_at": rfc3339(row.created_at),
        "expires_at": rfc3339_or_none(row.expires_at),
    }


def log_record(site: Site, row: LogRow) -> dict[str, Any]:
    """Return a record of the log; null stands for what the caller may not see."""
    return {
        "id": row.id,
        "action": row.action,
        "actor": person(site, row, "actor"),
        "via": row.via,
        "user": person(site, row, "user"),
        "topic_id": row.topic_id,
        "reply_id": row.reply_id,
        "node_id": row.node_id,
        "reason": row.reason,
        "details": None if row.details is None else json.loads(row.details),
        "request_id": row.request_id,
        "created_at": rfc3339(row.created_at),
    }


def person(site: Site, row: Any, prefix: str) -> dict[str, Any] | None:
    """Return a UserSerializer of the columns of a row with a prefix, or None without a user."""
    user_id, login, name, avatar = (
        getattr(row, f"{prefix}_{column}") for column in ("id", "login", "name", "avatar")
    )
    if user_id is None:
        return None
    avatar_url = site.avatar_url(login, avatar)
    return {"id": user_id, "login": login, "name": name or login, "avatar_url": avatar_url}
