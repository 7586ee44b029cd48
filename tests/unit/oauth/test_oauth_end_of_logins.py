"""Tokens and codes that are issued during "log out everywhere" must not stay valid."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from forumsvc.db.engine import Database
from forumsvc.oauth import authorization_endpoint
from forumsvc.oauth.authorization_endpoint import RedirectableError
from forumsvc.services import accounts

from .oauth_fixture import OAuthFixture


def test_an_exchange_that_began_before_log_out_everywhere_finds_no_code(
    oauth: OAuthFixture,
) -> None:
    code = oauth.code(oauth.app)
    oauth.time.advance(seconds=1)
    with oauth.database.session.begin() as db:
        accounts.set_password(db, "ann", "another horse battery")
    oauth.time.advance(seconds=-1)
    assert oauth.exchange(oauth.app, code).body["error"] == "invalid_grant"


def test_a_session_that_has_ended_cannot_approve(oauth: OAuthFixture) -> None:
    request = oauth.authorization_request(oauth.app)
    with oauth.database.session() as db, pytest.raises(RedirectableError) as refusal:
        authorization_endpoint.approve(
            oauth.provider(db), request, oauth.ann, "of a session that has ended"
        )
    assert "error=access_denied" in refusal.value.location


def test_tokens_of_concurrent_refreshes_are_revoked_too(oauth: OAuthFixture) -> None:
    with ThreadPoolExecutor(1) as pool:
        for _ in range(5):
            issued = oauth.log_in()
            refreshed = pool.submit(oauth.refresh, issued["refresh_token"])
            _log_out_everywhere(oauth.database, oauth.ann)
            assert not oauth.is_valid(issued["access_token"])
            if refreshed.result().status == 200:
                assert not oauth.is_valid(refreshed.result().body["access_token"])


def _log_out_everywhere(database: Database, user_id: int) -> None:
    with database.session.begin() as db:
        accounts.log_out_everywhere(db, user_id)
