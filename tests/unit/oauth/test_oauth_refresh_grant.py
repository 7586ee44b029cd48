"""POST /oauth/token with a refresh token (RFC 6749 §6, RFC 9700 §4.14)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from forumsvc.oauth import revocation, server

from .oauth_fixture import PASSWORD, OAuthFixture, credentials


def test_a_smaller_scope_can_be_requested_and_the_rest_stays_available(oauth: OAuthFixture) -> None:
    first = oauth.log_in()
    narrow = oauth.refresh(first["refresh_token"], scope="read").body
    assert narrow["scope"] == "read"
    assert oauth.refresh(narrow["refresh_token"]).body["scope"] == "read write"


def test_a_larger_scope_cannot_be_requested(oauth: OAuthFixture) -> None:
    first = oauth.log_in(scope="read")
    answer = oauth.refresh(first["refresh_token"], scope="read write")
    assert (answer.status, answer.body["error"]) == (400, "invalid_scope")
    assert oauth.refresh(first["refresh_token"]).status == 200, "a refused refresh uses nothing up"


def test_reuse_revokes_the_whole_family(oauth: OAuthFixture) -> None:
    first = oauth.log_in()
    second = oauth.refresh(first["refresh_token"]).body
    third = oauth.refresh(second["refresh_token"]).body
    answer = oauth.refresh(first["refresh_token"])
    assert (answer.status, answer.body["error"], answer.commit) == (400, "invalid_grant", True)
    for issued in (first, second, third):
        assert not oauth.is_valid(issued["access_token"])
    assert oauth.refresh(third["refresh_token"]).body["error"] == "invalid_grant"


def test_another_family_stays_valid(oauth: OAuthFixture) -> None:
    first, other = oauth.log_in(), oauth.log_in()
    oauth.refresh(first["refresh_token"])
    oauth.refresh(first["refresh_token"])
    assert oauth.is_valid(other["access_token"])
    assert oauth.refresh(other["refresh_token"]).status == 200


def test_another_clients_refresh_token_is_rejected_and_stays_valid(oauth: OAuthFixture) -> None:
    first = oauth.log_in()
    thief = {**credentials(oauth.phone), "refresh_token": first["refresh_token"]}
    assert oauth.token(oauth.phone, grant_type="refresh_token", **thief).status == 400
    second = oauth.refresh(first["refresh_token"]).body
    assert oauth.token(oauth.phone, grant_type="refresh_token", **thief).status == 400
    assert oauth.is_valid(second["access_token"])


def test_each_pair_of_two_refreshes_within_the_grace_period_lives_on(oauth: OAuthFixture) -> None:
    oauth.settings["oauth.refresh_grace"] = 10
    first = oauth.log_in()
    tabs = [oauth.refresh(first["refresh_token"]).body]
    oauth.time.advance(seconds=9)
    tabs.append(oauth.refresh(first["refresh_token"]).body)
    for _ in range(2):
        for number, pair in enumerate(tabs):
            oauth.time.advance(minutes=5)
            assert oauth.is_valid(pair["access_token"])
            tabs[number] = oauth.refresh(pair["refresh_token"]).body
    assert all(oauth.is_valid(pair["access_token"]) for pair in tabs)


@pytest.mark.parametrize("stolen", ["the first token", "a sibling's"])
def test_reuse_after_the_grace_period_revokes_all_siblings(
    oauth: OAuthFixture, stolen: str
) -> None:
    oauth.settings["oauth.refresh_grace"] = 10
    first = oauth.log_in()
    one, other = (oauth.refresh(first["refresh_token"]).body for _ in range(2))
    newer = oauth.refresh(one["refresh_token"]).body
    oauth.time.advance(seconds=10)
    known = first if stolen == "the first token" else one
    answer = oauth.refresh(known["refresh_token"])
    assert (answer.status, answer.body["error"], answer.commit) == (400, "invalid_grant", True)
    for issued in (first, one, other, newer):
        assert not oauth.is_valid(issued["access_token"])
    assert oauth.refresh(other["refresh_token"]).status == 400


def test_reuse_does_not_prolong_the_grace_period(oauth: OAuthFixture) -> None:
    oauth.settings["oauth.refresh_grace"] = 10
    first = oauth.log_in()
    statuses = []
    for _ in range(4):
        statuses.append(oauth.refresh(first["refresh_token"]).status)
        oauth.time.advance(seconds=4)
    assert statuses == [200, 200, 200, 400]


def test_the_oldest_of_too_many_siblings_is_forgotten_and_ends_nothing(
    oauth: OAuthFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revocation, "_MOST_PAIRS", 3)
    oauth.settings["oauth.refresh_grace"] = 10
    first, other = oauth.log_in(), oauth.log_in()
    tabs = [oauth.refresh(first["refresh_token"]).body for _ in range(5)]
    assert [oauth.is_valid(pair["access_token"]) for pair in tabs] == [False] * 2 + [True] * 3
    assert oauth.refresh(tabs[0]["refresh_token"]).body["error"] == "invalid_grant"
    assert [oauth.refresh(pair["refresh_token"]).status for pair in tabs[2:]] == [200] * 3
    assert oauth.refresh(other["refresh_token"]).status == 200


def test_the_grace_period_does_not_undo_a_logout(oauth: OAuthFixture) -> None:
    oauth.settings["oauth.refresh_grace"] = 10
    first = oauth.log_in()
    second = oauth.refresh(first["refresh_token"]).body
    oauth.call(server.revoke, {**credentials(oauth.app), "token": second["access_token"]})
    assert oauth.refresh(first["refresh_token"]).body["error"] == "invalid_grant"


def test_32_parallel_refreshes_within_the_grace_period_leave_32_pairs_that_live(
    oauth: OAuthFixture,
) -> None:
    oauth.settings["oauth.refresh_grace"] = 10
    first = oauth.log_in()
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: oauth.refresh(first["refresh_token"]), range(32)))
    oauth.time.advance(seconds=20)
    assert [oauth.refresh(one.body["refresh_token"]).status for one in answers] == [200] * 32


def test_tokens_expire(oauth: OAuthFixture) -> None:
    issued = oauth.log_in()
    oauth.time.advance(seconds=86399)
    assert oauth.is_valid(issued["access_token"])
    oauth.time.advance(seconds=1)
    assert not oauth.is_valid(issued["access_token"])
    oauth.time.advance(days=29)
    answer = oauth.refresh(issued["refresh_token"])
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")


def test_each_refresh_token_has_the_full_lifetime(oauth: OAuthFixture) -> None:
    issued = oauth.log_in()
    for _ in range(3):
        oauth.time.advance(days=29)
        issued = oauth.refresh(issued["refresh_token"]).body
    assert oauth.is_valid(issued["access_token"])


def test_a_malformed_refresh_token_is_rejected(oauth: OAuthFixture) -> None:
    access = oauth.log_in()["access_token"]
    for garbage in ("x", "\u00e9" * 50, access, "a" * 8000, "' OR 1=1 --"):
        answer = oauth.refresh(garbage)
        assert (answer.status, answer.body["error"]) == (400, "invalid_grant")
    assert oauth.token(grant_type="refresh_token").body["error"] == "invalid_request"


def test_32_parallel_refreshes_leave_at_most_one_valid_family(oauth: OAuthFixture) -> None:
    first = oauth.log_in()
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: oauth.refresh(first["refresh_token"]), range(32)))
    won = [answer for answer in answers if answer.status == 200]
    assert len(won) == 1
    assert {answer.body["error"] for answer in answers if answer.status != 200} == {"invalid_grant"}
    assert oauth.count() == 2
    oauth.refresh(first["refresh_token"])
    assert not oauth.is_valid(won[0].body["access_token"])
    assert oauth.refresh(won[0].body["refresh_token"]).status == 400


def test_reuse_during_a_concurrent_refresh_revokes_everything(oauth: OAuthFixture) -> None:
    first = oauth.log_in()
    stolen = oauth.refresh(first["refresh_token"]).body
    with ThreadPoolExecutor(2) as pool:
        for _ in range(10):
            thief = pool.submit(oauth.refresh, stolen["refresh_token"])
            owner = pool.submit(oauth.refresh, first["refresh_token"])
            assert owner.result().status == 400
            if thief.result().status == 200:
                assert not oauth.is_valid(thief.result().body["access_token"])
            assert not oauth.is_valid(stolen["access_token"])
            first = oauth.log_in(username="ann", password=PASSWORD)
            stolen = oauth.refresh(first["refresh_token"]).body
