"""Rules for texts of a dump that the database does not know."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from ..media.storage import is_name
from ..models import PROFILE_TEXTS, SITE_FIELDS, Registration
from ..oauth import clients, redirects
from ..services.accounts.accounts import MAX_NAME
from ..services.accounts.erasure.erasure import PostsErasure
from ..services.accounts.login_names import is_unambiguous
from ..services.site_texts import is_color
from ..text.email_addresses import email_key
from ..text.text_rules import body_error, line_error


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and text.isprintable()
    except ValueError:
        return False


def _is_json_object(text: str) -> bool:
    try:
        result = json.loads(text)
        return isinstance(result, dict) and is_storable(result)
    except (ValueError, RecursionError):
        return False


def is_storable(value: Any) -> bool:
    """Return whether both databases take a JSON value. Raises ValueError, RecursionError."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return not body_error(text) and "\\u0000" not in text.replace("\\\\", "")


def _are_redirects(text: str) -> bool:
    """Those of built-in clients are paths."""
    return all(uri.startswith("/") or not redirects.validation_error(uri) for uri in text.split())


RULES: dict[str, tuple[Callable[[str], bool], str]] = {
    "login": (is_unambiguous, "a login, and no number and no name of a page"),
    "email": (lambda text: email_key(text) is not None, "an email address"),
    "web": (lambda text: not text or _is_web_address(text), "an http or https address, or empty"),
    "image": (lambda text: not text or is_name(text), "the name of a stored image, or empty"),
    "object": (_is_json_object, "the text of a JSON object"),
    "line": (lambda text: line_error(text) is None, "one line without control characters"),
    "redirects": (_are_redirects, "redirect URIs, with blanks between them"),
    "grants": (lambda text: {*text.split()} <= {*clients.GRANTS}, "grant types"),
    "scopes": (lambda text: {*text.split()} <= {*clients.SCOPES}, "scopes"),
    "color": (lambda text: not text or is_color(text), "a color such as #0a6a5c, or empty"),
    "registration": (
        lambda text: not text or text in {*Registration},
        f"one of {', '.join(Registration)}, or empty",
    ),
    "erasure": (lambda text: text in {*PostsErasure}, f"one of {', '.join(PostsErasure)}"),
}
"""The rules by name, each with what a text must be."""
ONLY_WARNED_OF = {"email", "line"}

RULE_OF = {
    "users.login": "login",
    "users.email": "email",
    "users.unconfirmed_email": "email",
    "users.name": "line",
    "users.website": "web",
    "users.avatar": "image",
    "users.closure_posts": "erasure",
    "sections.name": "line",
    "nodes.name": "line",
    "topics.title": "line",
    "photos.name": "image",
    "oauth_clients.name": "line",
    "oauth_clients.redirect_uris": "redirects",
    "oauth_clients.grants": "grants",
    "oauth_clients.scopes": "scopes",
    "webhooks.url": "web",
    "site_texts.name": "line",
    "site_texts.tagline": "line",
    "site_texts.footer": "line",
    "site_texts.accent": "color",
    "site_texts.registration": "registration",
    "site_texts.logo": "image",
    "notifications.details": "object",
    "audit_log.details": "object",
    "events.data": "object",
}

MAX_LENGTHS = {"users.name": MAX_NAME} | {
    f"{table}.{text.name}": text.max_length
    for table, texts in (("users", PROFILE_TEXTS), ("site_texts", SITE_FIELDS))
    for text in texts
}
"""Of columns that the database does not limit, but the API does."""
