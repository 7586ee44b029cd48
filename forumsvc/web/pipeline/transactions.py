"""Transactions: unsafe methods run in one, safe methods only read."""

from typing import Any

import pyramid_tm
from pyramid.config import Configurator
from pyramid.tweens import EXCVIEW

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
MAX_ATTEMPTS = 3
_API = "/api/v3/"


def is_unsafe(request: Any) -> bool:
    """Return whether the request may write."""
    return request.method not in _SAFE


def max_attempts(request: Any) -> int:
    """Return how often a request is tried when a database error is retryable.

    Reads of the API are retried by the executor itself. A body that is too large is not copied for
    a second attempt.
    """
    if request.method == "GET" and request.environ["PATH_INFO"].startswith(_API):
        return 1
    length = int(request.environ.get("CONTENT_LENGTH") or 0)
    return 1 if length > request.settings["http.max_body"] else MAX_ATTEMPTS


def includeme(config: Configurator) -> None:
    """Run unsafe requests in a transaction, with retries."""
    config.add_settings(
        {
            "tm.activate_hook": is_unsafe,
            "tm.annotate_user": False,
            "tm.commit_veto": pyramid_tm.default_commit_veto,
            "retry.attempts": MAX_ATTEMPTS,
            "retry.activate_hook": max_attempts,
        }
    )
    config.include("pyramid_retry")
    # Without including pyramid_tm: `request.tm` is a property of our request class.
    config.add_tween("pyramid_tm.tm_tween_factory", over=EXCVIEW)
