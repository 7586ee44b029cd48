"""Another means of log-in beside the password is one module: here, a fixed token."""

from dataclasses import dataclass, replace

import pytest

from forumsvc import clock
from forumsvc.sessions import browser_sessions
from forumsvc.sessions.authentication import Authentication
from forumsvc.web.pipeline.session_cookie import SESSION, site_cookie_name
from tests.functional.forum import Forum
from tests.functional.pages.visitor import Visitor

TOKEN = "a token that was handed out"
pytestmark = pytest.mark.both_databases


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedToken(Authentication):
    """Somebody has shown a token; it holds while it is the one that was handed out."""

    token: str

    def is_still_valid(self, password_hash: str | None) -> bool:
        return self.token == TOKEN


def proof(user_id: int) -> FixedToken:
    return FixedToken(user_id=user_id, means="token", at=clock.now(), token=TOKEN)


def start(forum: Forum, authentication: Authentication) -> str | None:
    with forum.database.session.begin() as db:
        client = {"browser": "Test", "address": "192.0.2.1"}
        return browser_sessions.start(db, authentication, ttl=3600, now=clock.now(), **client)


def test_who_has_no_password_is_logged_in_by_another_means(forum):
    alice = forum.person("alice")
    forum.change(alice.id, password_hash=None)
    secret = start(forum, proof(alice.id))
    assert secret is not None
    visitor = Visitor(forum)
    visitor.app.set_cookie(site_cookie_name("http://localhost", SESSION), secret)
    page = visitor.get("/settings/sessions")
    assert (page.status_int, "Test" in page.text) == (200, True)


def test_a_proof_that_holds_no_more_and_a_deleted_user_start_no_session(forum):
    alice = forum.person("alice")
    assert start(forum, replace(proof(alice.id), token="another")) is None
    forum.change(alice.id, state="deleted")
    assert start(forum, proof(alice.id)) is None
