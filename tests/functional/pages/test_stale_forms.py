"""Forms of visitors that were shown to another cookie are shown again."""

from tests.cases import each
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum

from .visitor import Visitor, form_of, problem, sent, with_password


def test_a_second_tab_that_logs_in_leads_on(forum: Forum) -> None:
    with_password(forum, "ann")
    visitor = Visitor(forum)
    second = visitor.form("/login", next="/about")
    visitor.log_in("ann")
    done = sent(second, username="ann", password="wrong")
    assert (done.status_int, done.location) == (303, "/about")
    assert visitor.is_logged_in()


@each(
    ("path", "values", "kept"),
    [
        ("/login", {"username": "ann", "password": "Secret123456"}, "ann"),
        ("/signup", {"login": "new", "email": "n@example.org", "password": "Secret123456"}, "new"),
    ],
)
def test_a_form_without_its_cookie_is_shown_again_with_what_was_typed(
    make_forum: MakeForum, path: str, values: dict[str, str], kept: str
) -> None:
    forum = make_forum(accounts__registration="open")
    visitor = Visitor(forum)
    form = visitor.form(path)
    visitor.app.reset()
    page = sent(form, **values)
    assert page.status_int == 403
    assert "Allow cookies" in problem(page)
    assert f'value="{kept}"' in page.text
    assert "Secret123456" not in page.text
    again = sent(form_of(page), **values)
    assert "Allow cookies" not in again.text


def test_a_forum_that_takes_no_sign_ups_says_so(make_forum: MakeForum) -> None:
    forum = make_forum(accounts__registration="closed")
    answer = forum.app.post("/signup", {}, {"Accept": "text/html"}, status="*")
    assert answer.status_int in (403, 404)


def test_a_program_gets_the_error_as_json(forum: Forum) -> None:
    answer = forum.app.post("/login", {}, status=403)
    assert "out of date" in answer.json["error"]
