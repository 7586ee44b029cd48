"""Codes and PKCE at the token endpoint (RFC 6749 §4.1, RFC 7636, RFC 9700 §4.5 and §4.8)."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from forumsvc.models import OAuthCode
from forumsvc.oauth import code_grant, server, tokens

from .world import CALLBACK, VERIFIER, Clock, World, basic, challenge, credentials

OTHER_VERIFIER = "x" * 43


def test_a_code_gives_a_token_for_what_was_allowed(time: Clock, world: World) -> None:
    answer = world.exchange(world.app, world.code(world.app, scope="read"))
    assert answer.status == 200
    assert answer.headers["Cache-Control"] == "no-store"
    given = answer.body
    assert (given["scope"], given["expires_in"], given["token_type"]) == ("read", 86400, "Bearer")
    assert given["created_at"] == int(time.now().timestamp())
    with world.database.reads.connect() as connection:
        row = tokens.find_by_access_token(connection, given["access_token"], time.now())
    assert row is not None
    assert row.user_id == world.ann
    assert world.refresh(given["refresh_token"]).status == 200


def test_a_public_client_gets_a_token_by_its_verifier(world: World) -> None:
    answer = world.exchange(world.phone, world.code(world.phone))
    assert world.alive(answer.body["access_token"])


def test_a_client_with_a_secret_need_not_use_pkce(world: World) -> None:
    code = world.code(world.app, code_challenge="", code_challenge_method="")
    assert world.exchange(world.app, code, code_verifier="").status == 200


@pytest.mark.parametrize("verifier", ["", OTHER_VERIFIER, VERIFIER[:42], VERIFIER + "x", "é" * 43])
def test_a_missing_or_wrong_verifier_gives_nothing(world: World, verifier: str) -> None:
    for client in (world.app, world.phone):
        code = world.code(client)
        answer = world.exchange(client, code, code_verifier=verifier)
        assert answer.status == 400
        assert answer.body["error"] == ("invalid_grant" if verifier else "invalid_request")
        assert "access_token" not in answer.body
        assert world.exchange(client, code).status == 200, "the client itself can still use it"


def test_a_verifier_without_a_challenge_is_a_downgrade(world: World) -> None:
    code = world.code(world.app, code_challenge="", code_challenge_method="")
    answer = world.exchange(world.app, code)
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")


def test_the_comparison_is_that_of_rfc_7636_appendix_b() -> None:
    assert code_grant.verify_s256(VERIFIER, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    assert not code_grant.verify_s256(VERIFIER, VERIFIER)
    assert not code_grant.verify_s256("é", "é")


def test_a_replayed_code_ends_what_it_gave(world: World) -> None:
    code = world.code(world.app)
    given = world.exchange(world.app, code).body
    newer = world.refresh(given["refresh_token"]).body
    answer = world.exchange(world.app, code)
    assert (answer.status, answer.body["error"], answer.commit) == (400, "invalid_grant", True)
    assert not world.alive(given["access_token"])
    assert not world.alive(newer["access_token"])
    assert world.refresh(newer["refresh_token"]).status == 400


def test_a_code_of_another_client_is_refused_and_harms_nobody(world: World) -> None:
    code = world.code(world.app)
    answer = world.exchange(world.phone, code)
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")
    given = world.exchange(world.app, code).body
    assert world.exchange(world.phone, code).status == 400
    assert world.alive(given["access_token"])


@pytest.mark.parametrize("uri", ["https://app.example/other", "", "https://evil.example/cb"])
def test_the_redirect_uri_must_be_that_of_the_request(world: World, uri: str) -> None:
    answer = world.exchange(world.app, world.code(world.app), redirect_uri=uri)
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")


def test_a_redirect_uri_left_out_of_the_request_may_be_left_out_again(world: World) -> None:
    code = world.code(world.app, redirect_uri="")
    assert world.exchange(world.app, code, redirect_uri="").status == 200
    code = world.code(world.app, redirect_uri="")
    assert world.exchange(world.app, code, redirect_uri="https://evil.example/").status == 400


def test_one_of_two_redirect_uris_must_be_named_again(world: World) -> None:
    two = world.client(
        "two", grants=("authorization_code",), redirect_uris=(CALLBACK, CALLBACK + "/2")
    )
    answer = world.exchange(two, world.code(two), redirect_uri=CALLBACK + "/2")
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")
    answer = world.exchange(two, world.code(two), redirect_uri="")
    assert (answer.status, answer.body["error"]) == (400, "invalid_request")
    assert world.exchange(two, world.code(two)).status == 200


def test_a_native_application_may_listen_on_any_port(world: World) -> None:
    native = world.client(
        "native",
        grants=("authorization_code",),
        redirect_uris=("http://127.0.0.1/cb",),
        public=True,
    )
    uri = "http://127.0.0.1:51004/cb"
    code = world.code(native, redirect_uri=uri)
    wrong = world.exchange(native, code, redirect_uri="http://127.0.0.1:51005/cb")
    assert wrong.body["error"] == "invalid_grant"
    assert world.exchange(native, code, redirect_uri=uri).status == 200


def test_a_code_lives_a_minute(time: Clock, world: World) -> None:
    code, other = world.code(world.app), world.code(world.app)
    time.advance(seconds=59)
    assert world.exchange(world.app, code).status == 200
    time.advance(seconds=1)
    answer = world.exchange(world.app, other)
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")


def test_a_code_of_a_user_deleted_meanwhile_gives_nothing(world: World) -> None:
    code = world.code(world.app)
    world.change(world.ann, state="deleted")
    assert world.exchange(world.app, code).body["error"] == "invalid_grant"


def test_the_client_must_prove_itself(world: World) -> None:
    code = world.code(world.app)
    asked = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}
    for wrong in (
        {"client_id": world.app.client_id},
        {"client_id": world.app.client_id, "client_secret": "x"},
        {},
    ):
        assert world.call(server.token, {**asked, **wrong}).status == 401
    headers = basic(world.app.client_id, world.app.client_secret)
    asked["code_verifier"] = VERIFIER
    assert world.call(server.token, asked, headers=headers).status == 200


def test_a_missing_or_senseless_code(world: World) -> None:
    answer = world.token(grant_type="authorization_code", redirect_uri=CALLBACK)
    assert answer.body["error"] == "invalid_request"
    for code in ("x", "é", "a" * 8000):
        assert world.exchange(world.app, code).body["error"] == "invalid_grant"


def test_32_parallel_exchanges_of_one_code_give_one_token_at_most(world: World) -> None:
    code = world.code(world.phone)
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: world.exchange(world.phone, code), range(32)))
    won = [answer for answer in answers if answer.status == 200]
    assert len(won) == 1
    assert {answer.body["error"] for answer in answers if answer.status != 200} == {"invalid_grant"}
    assert world.count() == 1
    world.exchange(world.phone, code)
    assert not world.alive(won[0].body["access_token"])


def test_only_the_digest_of_a_code_is_stored(world: World) -> None:
    code = world.code(world.app)
    with world.database.reads.connect() as connection:
        (row,) = connection.execute(select(OAuthCode.__table__)).all()
    assert code not in repr(row)
    assert tokens.hash_token(code) in repr(row)
    assert len(code) == 43


def test_purge_keeps_a_used_code_as_long_as_what_it_gave(time: Clock, world: World) -> None:
    def purge() -> None:
        with world.database.session.begin() as db:
            tokens.purge(db)

    used, unused = world.code(world.app), world.code(world.app)
    given = world.exchange(world.app, used).body
    purge()
    assert world.count(OAuthCode) == 2
    time.advance(seconds=61)
    purge()
    assert world.count(OAuthCode) == 1
    assert world.exchange(world.app, unused).status == 400
    assert world.exchange(world.app, used).commit
    assert not world.alive(given["access_token"])
    purge()
    assert world.count(OAuthCode) == 0


def test_client_credentials_give_a_token_without_a_user_that_can_only_read(
    time: Clock, world: World
) -> None:
    robot = world.client("robot", grants=("client_credentials",))
    given = world.token(robot, grant_type="client_credentials").body
    assert given["scope"] == "read"
    assert "refresh_token" not in given
    with world.database.reads.connect() as connection:
        row = tokens.find_by_access_token(connection, given["access_token"], time.now())
    assert row is not None
    assert (row.user_id, row.login, row.scope) == (None, None, "read")
    answer = world.token(robot, grant_type="client_credentials", scope="write")
    assert (answer.status, answer.body["error"]) == (400, "invalid_scope")
    asked = {"grant_type": "client_credentials", "user": "1", "username": "ann"}
    assert world.token(robot, **asked).body["scope"] == "read"


def test_client_credentials_need_the_grant(world: World) -> None:
    answer = world.token(grant_type="client_credentials")
    assert (answer.status, answer.body["error"]) == (400, "unauthorized_client")
    answer = world.token(world.phone, grant_type="client_credentials", **credentials(world.phone))
    assert answer.body["error"] == "unauthorized_client"


def test_a_challenge_belongs_to_its_own_code(world: World) -> None:
    stolen = world.code(world.app)
    own = world.code(world.app, code_challenge=challenge(OTHER_VERIFIER))
    assert world.exchange(world.app, stolen, code_verifier=OTHER_VERIFIER).status == 400
    assert world.exchange(world.app, own, code_verifier=OTHER_VERIFIER).status == 200
