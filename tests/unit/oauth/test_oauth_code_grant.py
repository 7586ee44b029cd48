"""Codes and PKCE at the token endpoint (RFC 6749 §4.1, RFC 7636, RFC 9700 §4.5 and §4.8)."""

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import select

from forumsvc.models import OAuthCode
from forumsvc.oauth import code_grant, tokens
from tests.cases import each

from .oauth_fixture import (
    CALLBACK,
    VERIFIER,
    OAuthFixture,
    challenge,
    credentials,
)

OTHER_VERIFIER = "x" * 43


@each("verifier", ["", OTHER_VERIFIER, VERIFIER[:42], VERIFIER + "x", "é" * 43])
def test_a_missing_or_wrong_verifier_is_rejected(oauth: OAuthFixture, verifier: str) -> None:
    for client in (oauth.app, oauth.phone):
        code = oauth.code(client)
        answer = oauth.exchange(client, code, code_verifier=verifier)
        assert answer.status == 400
        assert answer.body["error"] == ("invalid_grant" if verifier else "invalid_request")
        assert "access_token" not in answer.body
        assert oauth.exchange(client, code).status == 200, "the client itself can still use it"


def test_the_comparison_is_that_of_rfc_7636_appendix_b() -> None:
    assert code_grant.verify_s256(VERIFIER, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    assert not code_grant.verify_s256(VERIFIER, VERIFIER)
    assert not code_grant.verify_s256("é", "é")


def test_a_reused_code_revokes_its_tokens(oauth: OAuthFixture) -> None:
    code = oauth.code(oauth.app)
    issued = oauth.exchange(oauth.app, code).body
    newer = oauth.refresh(issued["refresh_token"]).body
    answer = oauth.exchange(oauth.app, code)
    assert (answer.status, answer.body["error"], answer.commit) == (400, "invalid_grant", True)
    assert not oauth.is_valid(issued["access_token"])
    assert not oauth.is_valid(newer["access_token"])
    assert oauth.refresh(newer["refresh_token"]).status == 400


def test_a_code_of_another_client_is_rejected_and_stays_valid(oauth: OAuthFixture) -> None:
    code = oauth.code(oauth.app)
    answer = oauth.exchange(oauth.phone, code)
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")
    issued = oauth.exchange(oauth.app, code).body
    assert oauth.exchange(oauth.phone, code).status == 400
    assert oauth.is_valid(issued["access_token"])


@each("uri", ["https://app.example/other", "", "https://evil.example/cb"])
def test_the_redirect_uri_must_be_that_of_the_request(oauth: OAuthFixture, uri: str) -> None:
    answer = oauth.exchange(oauth.app, oauth.code(oauth.app), redirect_uri=uri)
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")


def test_a_redirect_uri_omitted_from_the_request_can_be_omitted_again(oauth: OAuthFixture) -> None:
    code = oauth.code(oauth.app, redirect_uri="")
    assert oauth.exchange(oauth.app, code, redirect_uri="").status == 200
    code = oauth.code(oauth.app, redirect_uri="")
    assert oauth.exchange(oauth.app, code, redirect_uri="https://evil.example/").status == 400


def test_one_of_two_redirect_uris_must_be_repeated(oauth: OAuthFixture) -> None:
    two = oauth.client(
        "two", grants=("authorization_code",), redirect_uris=(CALLBACK, CALLBACK + "/2")
    )
    answer = oauth.exchange(two, oauth.code(two), redirect_uri=CALLBACK + "/2")
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")
    answer = oauth.exchange(two, oauth.code(two), redirect_uri="")
    assert (answer.status, answer.body["error"]) == (400, "invalid_request")
    assert oauth.exchange(two, oauth.code(two)).status == 200


def test_a_native_application_may_listen_on_any_port(oauth: OAuthFixture) -> None:
    native = oauth.client(
        "native",
        grants=("authorization_code",),
        redirect_uris=("http://127.0.0.1/cb",),
        public=True,
    )
    uri = "http://127.0.0.1:51004/cb"
    code = oauth.code(native, redirect_uri=uri)
    wrong = oauth.exchange(native, code, redirect_uri="http://127.0.0.1:51005/cb")
    assert wrong.body["error"] == "invalid_grant"
    assert oauth.exchange(native, code, redirect_uri=uri).status == 200


def test_a_code_expires_after_a_minute(oauth: OAuthFixture) -> None:
    code, other = oauth.code(oauth.app), oauth.code(oauth.app)
    oauth.time.advance(seconds=59)
    assert oauth.exchange(oauth.app, code).status == 200
    oauth.time.advance(seconds=1)
    answer = oauth.exchange(oauth.app, other)
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")


def test_a_code_of_a_deleted_user_is_rejected(oauth: OAuthFixture) -> None:
    code = oauth.code(oauth.app)
    oauth.change(oauth.ann, state="deleted")
    assert oauth.exchange(oauth.app, code).body["error"] == "invalid_grant"


def test_a_missing_or_malformed_code_is_rejected(oauth: OAuthFixture) -> None:
    answer = oauth.token(grant_type="authorization_code", redirect_uri=CALLBACK)
    assert answer.body["error"] == "invalid_request"
    for code in ("x", "é", "a" * 8000):
        assert oauth.exchange(oauth.app, code).body["error"] == "invalid_grant"


def test_32_parallel_exchanges_of_one_code_issue_at_most_one_token(oauth: OAuthFixture) -> None:
    code = oauth.code(oauth.phone)
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda _: oauth.exchange(oauth.phone, code), range(32)))
    won = [answer for answer in answers if answer.status == 200]
    assert len(won) == 1
    assert {answer.body["error"] for answer in answers if answer.status != 200} == {"invalid_grant"}
    assert oauth.count() == 1
    oauth.exchange(oauth.phone, code)
    assert not oauth.is_valid(won[0].body["access_token"])


def test_only_the_hash_of_a_code_is_stored(oauth: OAuthFixture) -> None:
    code = oauth.code(oauth.app)
    with oauth.database.reads.connect() as connection:
        (row,) = connection.execute(select(OAuthCode.__table__)).all()
    assert code not in repr(row)
    assert tokens.hash_token(code) in repr(row)
    assert len(code) == 43


def test_purge_keeps_a_used_code_as_long_as_its_tokens(oauth: OAuthFixture) -> None:
    used, unused = oauth.code(oauth.app), oauth.code(oauth.app)
    issued = oauth.exchange(oauth.app, used).body
    oauth.purge()
    assert oauth.count(OAuthCode) == 2
    oauth.time.advance(seconds=61)
    oauth.purge()
    assert oauth.count(OAuthCode) == 1
    assert oauth.exchange(oauth.app, unused).status == 400
    assert oauth.exchange(oauth.app, used).commit
    assert not oauth.is_valid(issued["access_token"])
    oauth.purge()
    assert oauth.count(OAuthCode) == 0


def test_client_credentials_issue_a_read_token_without_a_user(oauth: OAuthFixture) -> None:
    robot = oauth.client("robot", grants=("client_credentials",))
    issued = oauth.token(robot, grant_type="client_credentials").body
    assert issued["scope"] == "read"
    assert "refresh_token" not in issued
    with oauth.database.reads.connect() as connection:
        row = tokens.find_by_access_token(connection, issued["access_token"], oauth.time.now())
    assert row is not None
    assert (row.user_id, row.login, row.scope) == (None, None, "read")
    answer = oauth.token(robot, grant_type="client_credentials", scope="write")
    assert (answer.status, answer.body["error"]) == (400, "invalid_scope")
    form = {"grant_type": "client_credentials", "user": "1", "username": "ann"}
    assert oauth.token(robot, **form).body["scope"] == "read"


def test_client_credentials_need_the_grant_type(oauth: OAuthFixture) -> None:
    answer = oauth.token(grant_type="client_credentials")
    assert (answer.status, answer.body["error"]) == (400, "unauthorized_client")
    answer = oauth.token(oauth.phone, grant_type="client_credentials", **credentials(oauth.phone))
    assert answer.body["error"] == "unauthorized_client"


def test_a_challenge_belongs_to_its_own_code(oauth: OAuthFixture) -> None:
    stolen = oauth.code(oauth.app)
    own = oauth.code(oauth.app, code_challenge=challenge(OTHER_VERIFIER))
    assert oauth.exchange(oauth.app, stolen, code_verifier=OTHER_VERIFIER).status == 400
    assert oauth.exchange(oauth.app, own, code_verifier=OTHER_VERIFIER).status == 200
