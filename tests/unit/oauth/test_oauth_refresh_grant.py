"""POST /oauth/token with a refresh token (RFC 6749 §6, RFC 9700 §4.14)."""

from concurrent.futures import ThreadPoolExecutor

from forumsvc.oauth import server, tokens

from .world import PASSWORD, Clock, World, credentials


def test_a_refresh_gives_a_new_pair_and_keeps_the_scope(world: World) -> None:
    first = world.log_in(scope="read")
    second = world.refresh(first["refresh_token"]).body
    assert second["scope"] == "read"
    assert second["access_token"] != first["access_token"]
    assert second["refresh_token"] != first["refresh_token"]
    assert world.alive(first["access_token"])
    assert world.alive(second["access_token"])


def test_less_scope_can_be_asked_for_and_the_rest_is_not_lost(world: World) -> None:
    first = world.log_in()
    narrow = world.refresh(first["refresh_token"], scope="read").body
    assert narrow["scope"] == "read"
    assert world.refresh(narrow["refresh_token"]).body["scope"] == "read write"


def test_more_scope_than_was_given_cannot_be_asked_for(world: World) -> None:
    first = world.log_in(scope="read")
    answer = world.refresh(first["refresh_token"], scope="read write")
    assert (answer.status, answer.body["error"]) == (400, "invalid_scope")
    assert world.refresh(first["refresh_token"]).status == 200, "a refused refresh uses nothing up"


def test_a_second_use_ends_the_whole_family(world: World) -> None:
    first = world.log_in()
    second = world.refresh(first["refresh_token"]).body
    third = world.refresh(second["refresh_token"]).body
    answer = world.refresh(first["refresh_token"])
    assert (answer.status, answer.body["error"], answer.commit) == (400, "invalid_grant", True)
    for given in (first, second, third):
        assert not world.alive(given["access_token"])
    assert world.refresh(third["refresh_token"]).body["error"] == "invalid_grant"


def test_another_family_lives_on(world: World) -> None:
    first, other = world.log_in(), world.log_in()
    world.refresh(first["refresh_token"])
    world.refresh(first["refresh_token"])
    assert world.alive(other["access_token"])
    assert world.refresh(other["refresh_token"]).status == 200


def test_another_clients_refresh_token_is_refused_and_harms_nobody(world: World) -> None:
    first = world.log_in()
    thief = {**credentials(world.phone), "refresh_token": first["refresh_token"]}
    assert world.token(world.phone, grant_type="refresh_token", **thief).status == 400
    second = world.refresh(first["refresh_token"]).body
    assert world.token(world.phone, grant_type="refresh_token", **thief).status == 400
    assert world.alive(second["access_token"])


def test_a_lost_answer_is_given_again_while_its_pair_is_unused(world: World, time: Clock) -> None:
    world.settings["oauth.refresh_grace"] = 10
    first = world.log_in()
    lost = [world.refresh(first["refresh_token"]).body]
    for _ in range(3):
        time.advance(seconds=3)
        again = world.refresh(first["refresh_token"])
        assert again.status == 200
        assert not world.alive(lost[-1]["access_token"]), "at most one pair lives"
        assert world.alive(again.body["access_token"])
        lost.append(again.body)
    assert world.refresh(lost.pop()["refresh_token"]).status == 200


def test_a_second_use_after_the_grace_time_ends_the_family(world: World, time: Clock) -> None:
    world.settings["oauth.refresh_grace"] = 10
    first = world.log_in()
    second = world.refresh(first["refresh_token"]).body
    time.advance(seconds=10)
    answer = world.refresh(first["refresh_token"])
    assert (answer.status, answer.body["error"], answer.commit) == (400, "invalid_grant", True)
    assert not world.alive(second["access_token"])


def test_a_second_use_after_the_successor_was_refreshed_ends_the_family(world: World) -> None:
    world.settings["oauth.refresh_grace"] = 10
    first = world.log_in()
    second = world.refresh(first["refresh_token"]).body
    third = world.refresh(second["refresh_token"]).body
    assert world.refresh(first["refresh_token"]).commit
    assert not world.alive(third["access_token"])


def test_a_second_use_after_the_successor_was_introspected_ends_the_family(world: World) -> None:
    world.settings["oauth.refresh_grace"] = 10
    first = world.log_in()
    second = world.refresh(first["refresh_token"]).body
    asked = {**credentials(world.app), "token": second["access_token"]}
    assert world.call(server.introspect, asked).body["active"] is True
    assert world.refresh(first["refresh_token"]).commit
    assert not world.alive(second["access_token"])


def test_who_was_logged_out_is_not_logged_in_again_by_a_lost_answer(world: World) -> None:
    world.settings["oauth.refresh_grace"] = 10
    first = world.log_in()
    second = world.refresh(first["refresh_token"]).body
    world.call(server.revoke, {**credentials(world.app), "token": second["access_token"]})
    assert world.refresh(first["refresh_token"]).body["error"] == "invalid_grant"


def test_a_pair_that_was_given_for_lost_ends_the_family_when_it_is_used(
    world: World, time: Clock
) -> None:
    world.settings["oauth.refresh_grace"] = 10
    first = world.log_in()
    owners = world.refresh(first["refresh_token"]).body
    thiefs = world.refresh(first["refresh_token"]).body
    with world.database.session.begin() as db:
        assert tokens.purge(db) == 0, "that a second use is theft is not forgotten"
    assert world.refresh(owners["refresh_token"]).commit
    assert not world.alive(thiefs["access_token"])
    with world.database.session.begin() as db:
        assert tokens.purge(db) == 3


def test_32_parallel_refreshes_within_the_grace_time_leave_at_most_one_live_pair(
    world: World,
) -> None:
    world.settings["oauth.refresh_grace"] = 10
    first = world.log_in()
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: world.refresh(first["refresh_token"]), range(32)))
    given = [answer.body for answer in answers if answer.status == 200]
    assert len(given) == 32
    assert sum(world.alive(one["access_token"]) for one in given) == 1
    (last,) = (one for one in given if world.alive(one["access_token"]))
    assert world.refresh(last["refresh_token"]).status == 200


def test_tokens_expire(world: World, time: Clock) -> None:
    given = world.log_in()
    time.advance(seconds=86399)
    assert world.alive(given["access_token"])
    time.advance(seconds=1)
    assert not world.alive(given["access_token"])
    time.advance(days=29)
    answer = world.refresh(given["refresh_token"])
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")


def test_a_refresh_token_lives_its_days_anew(world: World, time: Clock) -> None:
    given = world.log_in()
    for _ in range(3):
        time.advance(days=29)
        given = world.refresh(given["refresh_token"]).body
    assert world.alive(given["access_token"])


def test_garbage_is_no_refresh_token(world: World) -> None:
    access = world.log_in()["access_token"]
    for garbage in ("x", "\u00e9" * 50, access, "a" * 8000, "' OR 1=1 --"):
        answer = world.refresh(garbage)
        assert (answer.status, answer.body["error"]) == (400, "invalid_grant")
    assert world.token(grant_type="refresh_token").body["error"] == "invalid_request"


def test_32_parallel_refreshes_leave_at_most_one_live_family(world: World) -> None:
    first = world.log_in()
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: world.refresh(first["refresh_token"]), range(32)))
    won = [answer for answer in answers if answer.status == 200]
    assert len(won) == 1
    assert {answer.body["error"] for answer in answers if answer.status != 200} == {"invalid_grant"}
    assert world.count() == 2
    world.refresh(first["refresh_token"])
    assert not world.alive(won[0].body["access_token"])
    assert world.refresh(won[0].body["refresh_token"]).status == 400


def test_a_theft_found_while_the_thief_refreshes_leaves_nothing_alive(world: World) -> None:
    first = world.log_in()
    stolen = world.refresh(first["refresh_token"]).body
    with ThreadPoolExecutor(2) as pool:
        for _ in range(10):
            thief = pool.submit(world.refresh, stolen["refresh_token"])
            owner = pool.submit(world.refresh, first["refresh_token"])
            assert owner.result().status == 400
            if thief.result().status == 200:
                assert not world.alive(thief.result().body["access_token"])
            assert not world.alive(stolen["access_token"])
            first = world.log_in(username="ann", password=PASSWORD)
            stolen = world.refresh(first["refresh_token"]).body
