"""Changing the password, and resetting it by a link."""

from datetime import timedelta

import pytest

from forumsvc import clock
from forumsvc.models import LoginFailure, LoginSuccess
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum
from tests.functional.statements import counting

from .visitor import NEW_PASSWORD, PASSWORD, Mail, Visitor, problem, sent, with_password, wrong


def link(mail: Mail) -> str:
    """Return the link of the latest message, as a path."""
    words = mail()[-1].get_content().split()
    address = next(word for word in words if "://" in word)
    assert address.startswith("http://localhost/password/reset?reset_token=")
    return address.removeprefix("http://localhost")


def test_the_current_password_must_be_right_and_a_wrong_one_is_counted(
    visitor: Visitor, ann: int
) -> None:
    visitor.log_in()
    page = visitor.send("/password", current_password="wrong", new_password=NEW_PASSWORD)
    assert wrong(page) == "Current password is wrong."
    assert "X-Tm" not in page.headers
    assert visitor.forum.count(LoginFailure) == 1
    assert visitor.is_logged_in()


def test_a_password_is_the_same_on_every_keyboard(visitor: Visitor, ann: int) -> None:
    composed, decomposed = "grüne-äpfel 77", "gru\u0308ne-a\u0308pfel\u00a077"
    visitor.log_in()
    changed = visitor.send("/password", current_password=PASSWORD, new_password=decomposed)
    assert changed.status_int == 303
    assert visitor.log_in(password=composed).status_int == 303
    again = visitor.send("/password", current_password=decomposed, new_password=NEW_PASSWORD)
    assert again.status_int == 303
    visitor.log_in(password=NEW_PASSWORD)
    page = visitor.send("/password", current_password=NEW_PASSWORD, new_password="long enough\x85")
    assert wrong(page) == "New password must not contain control characters (U+0085)."


def test_a_reset_link_sets_a_password_and_logs_out_everywhere(
    visitor: Visitor, ann: int, mail: Mail
) -> None:
    other = Visitor(visitor.forum)
    other.log_in()
    page = visitor.send("/password/forgotten", email="ANN@example.org")
    assert page.status_int == 200
    [message] = mail()
    assert message["To"] == "ann@example.org"
    assert "ann" in message.get_content()
    answer = visitor.send(link(mail), new_password=NEW_PASSWORD)
    assert answer.location == "/login"
    assert not other.is_logged_in()
    assert visitor.log_in(password=NEW_PASSWORD).status_int == 303


def test_an_unknown_address_gets_the_same_response_and_no_mail(
    visitor: Visitor, ann: int, mail: Mail
) -> None:
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


def test_a_request_costs_the_same_statements_for_a_known_and_an_unknown_address(
    visitor: Visitor, ann: int
) -> None:
    costs = []
    for address in ("x@example.org", "ann@example.org", "bob@example.org"):
        form = visitor.form("/password/forgotten")
        with counting(visitor.forum.database) as statements:
            sent(form, email=address)
        costs.append(statements.texts)
    assert costs[1] == costs[2]


def test_a_link_works_once(visitor: Visitor, ann: int, mail: Mail) -> None:
    visitor.send("/password/forgotten", email="ann@example.org")
    path = link(mail)
    form = visitor.form(path)
    assert sent(form, new_password=NEW_PASSWORD).status_int == 303
    again = sent(form, new_password="third-anchor-45")
    assert again.status_int == 403
    page = visitor.get(path)
    assert (page.status_int, "This link was used" in problem(page)) == (403, True)
    assert visitor.log_in(password=NEW_PASSWORD).status_int == 303


@pytest.mark.parametrize("seconds", [3599, 3601])
def test_a_link_works_for_an_hour(
    visitor: Visitor, ann: int, mail: Mail, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    times = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: times[-1])
    visitor.send("/password/forgotten", email="ann@example.org")
    path = link(mail)
    times.append(times[0] + timedelta(seconds=seconds))
    assert visitor.get(path).status_int == (200 if seconds < 3600 else 403)


def test_a_changed_password_or_address_invalidates_the_link(
    visitor: Visitor, ann: int, mail: Mail
) -> None:
    visitor.send("/password/forgotten", email="ann@example.org")
    path = link(mail)
    visitor.forum.change(ann, email="new@example.org", email_key="new@example.org")
    assert visitor.get(path).status_int == 403
    visitor.forum.change(ann, email="ann@example.org", email_key="ann@example.org")
    assert visitor.get(path).status_int == 200
    visitor.log_in()
    visitor.send("/password", current_password=PASSWORD, new_password=NEW_PASSWORD)
    assert visitor.get(path).status_int == 403


def test_a_changed_reset_token_is_invalid(visitor: Visitor, ann: int, mail: Mail) -> None:
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


def test_a_deleted_user_gets_no_mail(visitor: Visitor, ann: int, mail: Mail) -> None:
    visitor.forum.change(ann, state="deleted")
    assert visitor.send("/password/forgotten", email="ann@example.org").status_int == 200
    assert mail() == []


def test_mail_to_one_address_is_limited(visitor: Visitor, mail: Mail) -> None:
    with_password(visitor.forum, "carol")
    for _ in range(7):
        page = visitor.send("/password/forgotten", email="carol@example.org")
        assert page.status_int == 200
    assert len(mail()) == 5


def test_mail_requests_of_one_address_are_limited(make_forum: MakeForum) -> None:
    forum = make_forum(mail__delivery="folder", mail__requests_per_hour="2")
    visitor = Visitor(forum)
    answers = [visitor.send("/password/forgotten", email="x@example.org") for _ in range(3)]
    assert [answer.status_int for answer in answers] == [200, 200, 429]
    assert int(answers[2].headers["Retry-After"]) > 0


def test_without_mail_there_is_no_reset_page_and_no_link_to_it(make_forum: MakeForum) -> None:
    visitor = Visitor(make_forum())
    assert visitor.get("/password/forgotten").status_int == 403
    assert visitor.post("/password/forgotten", email="a@example.org").status_int == 403
    assert "/password/forgotten" not in visitor.get("/login").text


def test_a_new_password_is_looked_at_only_after_the_present_one(
    visitor: Visitor, ann: int, forum: Forum
) -> None:
    visitor.log_in()
    form = {"current_password": "wrong-wire-77", "new_password": "qwertyuiop"}
    assert "is wrong" in wrong(visitor.send("/password", **form))
    before = forum.count(LoginSuccess)
    page = visitor.send("/password", **{**form, "current_password": PASSWORD})
    assert "is one of the most common passwords" in wrong(page)
    assert forum.count(LoginSuccess) == before + 1
