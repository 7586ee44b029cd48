"""Refresh tokens and codes that are used many times at once, or while their user logs out."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from webtest import TestResponse

from forumsvc.oauth import authorization_endpoint, revocation
from forumsvc.oauth.authorization_endpoint import RedirectableError
from forumsvc.oauth.provider import Provider
from forumsvc.services.accounts import accounts
from tests.functional.conftest import MakeForum

from .provider import CALLBACK, ManualClock, OAuth, challenge


def the_only_success(answers: list[TestResponse]) -> dict[str, str]:
    """Return what was issued once; all others were refused."""
    [won] = [answer.json for answer in answers if answer.status_int == 200]
    refused = [answer.json["error"] for answer in answers if answer.status_int != 200]
    assert set(refused) == {"invalid_grant"}
    return dict(won)


def test_32_parallel_exchanges_of_one_code_issue_at_most_one_token(oauth):
    code = oauth.code(oauth.phone)
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: oauth.exchange(oauth.phone, code), range(32)))
    won = the_only_success(answers)
    assert oauth.count() == 1
    oauth.exchange(oauth.phone, code)
    assert not oauth.is_valid(won["access_token"])


def test_32_parallel_refreshes_leave_at_most_one_valid_family(oauth):
    first = oauth.log_in()
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: oauth.refresh(first["refresh_token"]), range(32)))
    won = the_only_success(answers)
    assert oauth.count() == 2
    oauth.refresh(first["refresh_token"])
    assert not oauth.is_valid(won["access_token"])
    assert oauth.refresh(won["refresh_token"]).status_int == 400


@pytest.fixture
def patient(make_forum: MakeForum, time: ManualClock) -> OAuth:
    """A forum in which a refresh token may be used again for ten seconds."""
    return OAuth(make_forum(oauth__refresh_grace="10"), time)


def test_32_parallel_refreshes_within_the_grace_period_leave_32_pairs_that_live(patient):
    first = patient.log_in()
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: patient.refresh(first["refresh_token"]), range(32)))
    patient.time.advance(seconds=20)
    again = [patient.refresh(one.json["refresh_token"]).status_int for one in answers]
    assert again == [200] * 32


def test_the_oldest_of_too_many_siblings_is_forgotten_and_ends_nothing(patient, monkeypatch):
    monkeypatch.setattr(revocation, "_MOST_PAIRS", 3)
    first, other = patient.log_in(), patient.log_in()
    tabs = [patient.refresh(first["refresh_token"]).json for _ in range(5)]
    assert [patient.is_valid(pair["access_token"]) for pair in tabs] == [False] * 2 + [True] * 3
    assert patient.refresh(tabs[0]["refresh_token"]).json["error"] == "invalid_grant"
    left = [patient.refresh(pair["refresh_token"]).status_int for pair in [*tabs[2:], other]]
    assert left == [200] * 4


def test_reuse_during_a_concurrent_refresh_revokes_everything(oauth):
    with ThreadPoolExecutor(2) as pool:
        for _ in range(10):
            first = oauth.log_in()
            stolen = oauth.refresh(first["refresh_token"]).json
            thief = pool.submit(oauth.refresh, stolen["refresh_token"])
            owner = pool.submit(oauth.refresh, first["refresh_token"])
            assert owner.result().status_int == 400
            if thief.result().status_int == 200:
                assert not oauth.is_valid(thief.result().json["access_token"])
            assert not oauth.is_valid(stolen["access_token"])


def test_tokens_of_concurrent_refreshes_are_revoked_by_log_out_everywhere(oauth):
    with ThreadPoolExecutor(1) as pool:
        for _ in range(5):
            issued = oauth.log_in()
            refreshed = pool.submit(oauth.refresh, issued["refresh_token"])
            with oauth.forum.database.session.begin() as db:
                accounts.log_out_everywhere(db, oauth.ann)
            assert not oauth.is_valid(issued["access_token"])
            if refreshed.result().status_int == 200:
                assert not oauth.is_valid(refreshed.result().json["access_token"])


def test_an_exchange_that_began_before_log_out_everywhere_finds_no_code(oauth):
    code = oauth.code(oauth.app)
    oauth.time.advance(seconds=1)
    with oauth.forum.database.session.begin() as db:
        accounts.set_password(db, "ann", "another horse battery")
    oauth.time.advance(seconds=-1)
    assert oauth.exchange(oauth.app, code).json["error"] == "invalid_grant"


@pytest.mark.parametrize("gone", ["session", "user"])
def test_no_code_is_issued_if_session_or_user_is_gone_since_the_request(oauth, gone):
    query = {
        "response_type": "code",
        "redirect_uri": CALLBACK,
        "client_id": oauth.app["client_id"],
        "code_challenge": challenge("x" * 43),
        "code_challenge_method": "S256",
    }
    database, settings = oauth.forum.database, oauth.forum.registry.forum_settings
    with database.session() as db:
        provider = Provider(database.reads, db, settings, "http://localhost")
        request = authorization_endpoint.validate_authorization_request(
            provider, list(query.items())
        )
        if gone == "user":
            oauth.forum.change(oauth.ann, state="deleted")
        with pytest.raises(RedirectableError) as refusal:
            authorization_endpoint.approve(provider, request, oauth.ann, "of an ended session")
    assert "error=access_denied" in refusal.value.location
