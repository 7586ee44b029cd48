"""Limits of logins: the rate limit of the token endpoint, and the slots for password hashing."""

import threading

from forumsvc.process import passwords
from tests.functional.pages.visitor import Visitor
from tests.functional.statements import counting

from .application import PASSWORD, Application
from .conftest import add_ann


def test_the_token_endpoint_is_rate_limited_per_client_and_address(make_forum):
    forum = make_forum(rate_limit__token="2/minute")
    app, other = (Application(forum, grants=("client_credentials",)) for _ in range(2))

    def request(client: Application, address: str = "192.0.2.1") -> int:
        form = {**client.credentials, "grant_type": "client_credentials"}
        environ = {"REMOTE_ADDR": address}
        answer = forum.app.post("/oauth/token", form, extra_environ=environ, status="*")
        if answer.status_int == 429:
            assert answer.json["error"] == "temporarily_unavailable"
            assert 0 < int(answer.headers["Retry-After"]) <= 60
        return answer.status_int

    wrong = {**app.credentials, "client_secret": "x", "grant_type": "client_credentials"}
    statuses = [forum.app.post("/oauth/token", wrong, status="*").status_int for _ in range(3)]
    assert statuses == [401, 401, 429], "guesses are counted, but not as the client's own requests"
    assert [request(app) for _ in range(3)] == [200, 200, 429]
    assert (request(other), request(app, "198.51.100.7")) == (200, 200)


def test_without_a_slot_for_hashing_logins_get_503_and_reads_go_on(make_forum, monkeypatch):
    forum = make_forum(accounts__registration="open")
    add_ann(forum)
    app, visitor = Application(forum), Visitor(forum)
    slots = threading.BoundedSemaphore(1)
    monkeypatch.setattr(passwords, "_slots", slots)
    with slots:
        with counting(forum.registry.database) as seen:
            refused = app.log_in()
        assert not seen.texts
        assert (refused.status_int, refused.headers["Retry-After"]) == (503, "1")
        assert refused.json["error"] == "temporarily_unavailable"
        page = visitor.log_in("Ann", PASSWORD)
        assert (page.status_int, page.headers["Retry-After"]) == (503, "1")
        assert page.content_type == "text/html"
        account = {"login": "bob", "email": "bob@example.org", "password": "tangled-wire-77"}
        sign_up = forum.nobody.post("/users", **account)
        assert (sign_up.status_int, sign_up.headers["Retry-After"]) == (503, "1")
        assert forum.nobody.get("/topics").status_int == 200
    assert app.log_in().status_int == 200


def test_a_changed_password_counts_as_a_log_in(make_forum):
    forum = make_forum(accounts__logins_per_user="1")
    add_ann(forum)
    visitor = Visitor(forum)
    assert visitor.log_in("Ann", PASSWORD).status_int == 303
    sent = {"current_password": PASSWORD, "new_password": "another-rope-12"}
    refused = visitor.send("/password", **sent)
    assert (refused.status_int, "Retry-After" in refused.headers) == (429, True)
    assert "Too many logins" in refused.text
