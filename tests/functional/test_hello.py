"""GET /hello."""

from tests.functional.forum import Forum, Person


def test_hello_tells_the_login_of_the_tokens_user(alice: Person) -> None:
    assert alice.get("/hello").json == {"current_user": "alice"}


def test_hello_without_a_token_asks_for_one(forum: Forum) -> None:
    refused = forum.nobody.get("/hello")
    assert refused.status_int == 401
    assert refused.headers["WWW-Authenticate"] == "Bearer"


def test_hello_of_a_token_without_a_user_is_denied(forum: Forum) -> None:
    assert forum.caller(forum.token(None)).get("/hello").status_int == 403
