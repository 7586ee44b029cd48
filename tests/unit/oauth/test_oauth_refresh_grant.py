"""POST /oauth/token with a refresh token (RFC 6749 §6, RFC 9700 §4.14)."""

from concurrent.futures import ThreadPoolExecutor

from forumsvc.oauth import server

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


def test_a_lost_response_is_replaced_while_its_pair_is_unused(oauth: OAuthFixture) -> None:
    oauth.settings["oauth.refresh_grace"] = 10
    first = oauth.log_in()
    lost = [oauth.refresh(first["refresh_token"]).body]
    for _ in range(3):
        oauth.time.advance(seconds=3)
        again = oauth.refresh(first["refresh_token"])
        assert again.status == 200
        assert not oauth.is_valid(lost[-1]["access_token"]), "at most one pair lives"
        assert oauth.is_valid(again.body["access_token"])
        lost.append(again.body)
    assert oauth.refresh(lost.pop()["refresh_token"]).status == 200


def test_reuse_after_the_grace_period_or_a_use_of_the_successor_revokes_the_family(
    oauth: OAuthFixture,
) -> None:
    oauth.settings["oauth.refresh_grace"] = 10

    def introspect(issued: dict[str, str]) -> None:
        form = {**credentials(oauth.app), "token": issued["access_token"]}
        assert oauth.call(server.introspect, form).body["active"] is True

    for use in (
        lambda issued: oauth.time.advance(seconds=10),
        lambda issued: oauth.refresh(issued["refresh_token"]),
        introspect,
    ):
        first = oauth.log_in()
        second = oauth.refresh(first["refresh_token"]).body
        use(second)
        answer = oauth.refresh(first["refresh_token"])
        assert (answer.status, answer.body["error"], answer.commit) == (400, "invalid_grant", True)
        assert not oauth.is_valid(second["access_token"])


def test_the_grace_period_does_not_undo_a_logout(oauth: OAuthFixture) -> None:
    oauth.settings["oauth.refresh_grace"] = 10
    first = oauth.log_in()
    second = oauth.refresh(first["refresh_token"]).body
    oauth.call(server.revoke, {**credentials(oauth.app), "token": second["access_token"]})
    assert oauth.refresh(first["refresh_token"]).body["error"] == "invalid_grant"


def test_use_of_a_replaced_pair_revokes_the_family(oauth: OAuthFixture) -> None:
    oauth.settings["oauth.refresh_grace"] = 10
    first = oauth.log_in()
    owners = oauth.refresh(first["refresh_token"]).body
    thiefs = oauth.refresh(first["refresh_token"]).body
    assert oauth.purge() == 0, "that a second use is theft is not forgotten"
    assert oauth.refresh(owners["refresh_token"]).commit
    assert not oauth.is_valid(thiefs["access_token"])
    assert oauth.purge() == 3


def test_32_parallel_refreshes_within_the_grace_period_leave_at_most_one_valid_pair(
    oauth: OAuthFixture,
) -> None:
    oauth.settings["oauth.refresh_grace"] = 10
    first = oauth.log_in()
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: oauth.refresh(first["refresh_token"]), range(32)))
    issued = [answer.body for answer in answers if answer.status == 200]
    assert len(issued) == 32
    assert sum(oauth.is_valid(one["access_token"]) for one in issued) == 1
    (last,) = (one for one in issued if oauth.is_valid(one["access_token"]))
    assert oauth.refresh(last["refresh_token"]).status == 200


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
