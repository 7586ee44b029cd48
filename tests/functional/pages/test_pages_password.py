"""Changing the password, and resetting it by a link."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from webtest import TestResponse

from forumsvc import clock
from forumsvc.models import BrowserSession, JobKind, OAuthClient
from forumsvc.oauth import codes
from forumsvc.services.accounts import accounts
from tests.functional.forum import Forum
from tests.functional.oauth.application import Application
from tests.functional.statements import counting

from .visitor import NEW_PASSWORD, PASSWORD, Mail, Visitor, form_of, sent, with_password


def link(mail: Mail) -> str:
    """Return the link of the latest message, as a path."""
    words = mail()[-1].get_content().split()
    address = next(word for word in words if "://" in word)
    assert address.startswith("http://localhost/password/reset?reset_token=")
    return address.removeprefix("http://localhost")


def test_an_unknown_address_gets_the_same_response_and_no_mail(visitor, ann, mail):
    pages = [
        visitor.send("/password/forgotten", email=address)
        for address in ("ann@example.org", "bob@example.org")
    ]
    texts = [page.html.main.text.replace("ann", "").replace("bob", "") for page in pages]
    assert texts[0] == texts[1]
    assert [page.status_int for page in pages] == [200, 200]
    assert {name.lower() for name in pages[0].headers} == {
        name.lower() for name in pages[1].headers
    }
    assert len(mail()) == 1


def test_a_request_costs_the_same_statements_for_a_known_and_an_unknown_address(visitor, ann):
    costs = []
    for address in ("x@example.org", "ann@example.org", "bob@example.org"):
        form = visitor.form("/password/forgotten")
        with counting(visitor.forum.database) as statements:
            sent(form, email=address)
        costs.append(statements.texts)
    assert costs[1] == costs[2]


@pytest.mark.parametrize("seconds", [3599, 3601])
def test_a_link_works_for_an_hour(visitor, ann, mail, monkeypatch, seconds):
    times = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: times[-1])
    visitor.send("/password/forgotten", email="ann@example.org")
    path = link(mail)
    times.append(times[0] + timedelta(seconds=seconds))
    assert visitor.get(path).status_int == (200 if seconds < 3600 else 403)


def test_a_changed_reset_token_is_invalid(visitor, ann, mail):
    bob = with_password(visitor.forum, "bob")
    visitor.send("/password/forgotten", email="ann@example.org")
    user_id, expires, signature = link(mail).partition("reset_token=")[2].split(".")
    assert int(user_id) == ann
    other = "A" if signature[0] != "A" else "B"
    for token in (
        f"{bob}.{expires}.{signature}",
        f"{user_id}.{int(expires) + 1}.{signature}",
        f"{user_id}.{expires}.{other}{signature[1:]}",
        f"{user_id}.{expires}.{signature[:-1]}",
        f"{user_id}.{expires}",
        "9" * 19 + f".{expires}.{signature}",
        "\u0661" + f".{expires}.{signature}",
        "",
    ):
        assert visitor.get("/password/reset", reset_token=token).status_int == 403, token


def test_mail_to_one_address_is_limited(visitor, mail):
    with_password(visitor.forum, "carol")
    for _ in range(7):
        page = visitor.send("/password/forgotten", email="carol@example.org")
        assert page.status_int == 200
    assert len(mail()) == 5


CALLBACK = "https://app.example/cb"


class Logins:
    """Everything that Ann's logins issued, and a token that an administrator issued."""

    def __init__(self, forum: Forum, ann: int) -> None:
        self.forum = forum
        usual = Application(forum)
        first = usual.log_in(password=PASSWORD).json
        refreshed = usual.refresh(first["refresh_token"]).json
        # Like the explorer: a client without refresh tokens.
        self.bare = Application(forum, grants=("authorization_code",), redirect_uris=(CALLBACK,))
        by_code = self._redeem(self._code(ann)).json
        by_password = Application(forum, grants=("password",)).log_in(password=PASSWORD).json
        self.tokens = {
            "log-in": first["access_token"],
            "refresh": refreshed["access_token"],
            "code": by_code["access_token"],
            "password alone": by_password["access_token"],
        }
        self.refresh: Callable[[], TestResponse] = lambda: usual.refresh(refreshed["refresh_token"])
        self.code = self._code(ann)
        self.admins = forum.token(ann)
        self.browser = Visitor(forum)
        self.browser.log_in()

    def _code(self, user_id: int) -> str:
        client_id = self.bare.credentials["client_id"]
        with self.forum.database.session.begin() as db:
            client = select(OAuthClient.id, OAuthClient.created_at)
            row = db.execute(client.where(OAuthClient.client_id == client_id)).one()
            return codes.issue(
                db,
                client_id=row.id,
                user_id=user_id,
                redirect_uri=CALLBACK,
                scope="read write",
                challenge=None,
                ttl=60,
                now=row.created_at,
            )

    def _redeem(self, code: str) -> TestResponse:
        return self.bare.post(
            "token", grant_type="authorization_code", code=code, redirect_uri=CALLBACK
        )

    def alive(self) -> list[str]:
        found = [
            name
            for name, token in self.tokens.items()
            if self.forum.caller(token).get("/hello").status_int == 200
        ]
        found += ["refresh token"] if self.refresh().status_int == 200 else []
        found += ["unredeemed code"] if self._redeem(self.code).status_int == 200 else []
        found += ["session"] if self.browser.is_logged_in() else []
        return found


def change(visitor: Visitor, ann: int, ini_dir: Path) -> None:
    visitor.log_in()
    answer = visitor.send("/password", current_password=PASSWORD, new_password=NEW_PASSWORD)
    assert "logged out everywhere" in answer.follow().text


def reset(visitor: Visitor, ann: int, ini_dir: Path) -> None:
    visitor.send("/password/forgotten", email="ann@example.org")
    visitor.forum.registry.job_runner.run_due(JobKind.MAIL)
    [mail] = list((ini_dir / "var" / "mail").glob("*.eml"))
    text = mail.read_text().replace("=\n", "").replace("=3D", "=")
    mail.unlink()
    address = next(word for word in text.split() if "reset_token=" in word)
    answer = visitor.send(address.removeprefix("http://localhost"), new_password=NEW_PASSWORD)
    assert "logged out everywhere" in answer.follow().text


def command(visitor: Visitor, ann: int, ini_dir: Path) -> None:
    with visitor.forum.database.session.begin() as db:
        accounts.set_password(db, "ann", NEW_PASSWORD)


def button(visitor: Visitor, ann: int, ini_dir: Path) -> None:
    """Log out everywhere with the button; the password stays."""
    visitor.log_in()
    answer = sent(form_of(visitor.get("/applications").click("Log out everywhere")))
    assert answer.location == "/login"
    assert "logged out everywhere" in answer.follow().text
    assert not visitor.is_logged_in()


@pytest.mark.parametrize("end", [change, reset, command, button])
def test_every_login_ends_but_an_administrators_token_stays_valid(
    visitor, forum, ann, ini_dir, end
):
    logins = Logins(forum, ann)
    end(visitor, ann, ini_dir)
    assert logins.alive() == []
    assert forum.caller(logins.admins).get("/hello").status_int == 200
    assert forum.count(BrowserSession) == 0
    statuses = [
        Visitor(forum).log_in(password=each).status_int for each in (PASSWORD, NEW_PASSWORD)
    ]
    assert statuses == ([303, 400] if end is button else [400, 303])


def test_log_out_everywhere_affects_no_other_user(visitor, forum, ann):
    with_password(forum, "bob")
    browser, app = Visitor(forum), Application(forum)
    browser.log_in("bob")
    issued = app.log_in("bob", PASSWORD).json
    button(visitor, ann, Path())
    assert browser.is_logged_in()
    assert forum.caller(issued["access_token"]).get("/hello").status_int == 200
