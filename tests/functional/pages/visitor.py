"""A browser, simulated with WebTest."""

from collections.abc import Callable
from copy import copy
from email.message import EmailMessage
from itertools import chain
from typing import Any

from sqlalchemy import update
from webtest import Form, Hidden, TestApp, TestResponse

from forumsvc import clock
from forumsvc.models import BrowserSession
from forumsvc.process.passwords import hash_password
from tests.functional.forum import Forum

PASSWORD = "tangled-wire-77"
NEW_PASSWORD = "another-rope-12"
BROWSER = {"HTTP_ACCEPT": "text/html,application/xhtml+xml,*/*;q=0.8"}

Mail = Callable[[], list[EmailMessage]]
"""Returns the received messages, oldest first."""


class Visitor:
    """A browser with its own cookies."""

    def __init__(self, forum: Forum, **environ: str) -> None:
        self.forum = forum
        self.app = TestApp(forum.application, extra_environ={**BROWSER, **environ})

    def get(self, path: str, **params: Any) -> TestResponse:
        """Load a page, whatever its status."""
        return self.app.get(path, params, status="*")

    def form(self, path: str, **params: Any) -> Form:
        """Load a page and return its main form."""
        return form_of(self.get(path, **params))

    def send(self, path: str, **fields: str) -> TestResponse:
        """Load a page, fill in its form and submit it."""
        return sent(self.form(path), **fields)

    def log_in(self, login: str = "ann", password: str = PASSWORD, **params: str) -> TestResponse:
        """Log in with the form; who is logged in already, as after signing up, goes on."""
        if (page := self.get("/login", **params)).status_int == 303:
            return page
        return sent(form_of(page), username=login, password=password)

    def is_logged_in(self) -> bool:
        return self.get("/applications").status_int == 200

    def post(self, path: str, **fields: str) -> TestResponse:
        """Submit arbitrary fields, with the CSRF token of an existing page."""
        token = self.get("/login").follow() if self.is_logged_in() else self.get("/login")
        fields["csrf_token"] = token.html.find("input", {"name": "csrf_token"})["value"]
        return self.app.post(path, fields, status="*")


def form_of(page: TestResponse) -> Form:
    """Return the last form in the main element of the page."""
    assert page.status_int < 500, page.text
    action = page.html.find("main").find_all("form")[-1]["action"]
    return next(form for form in reversed(page.forms.values()) if form.action == action)


def button_form(page: TestResponse, button: Any) -> Form:
    """Return the form of a button, an element of the page, that leads elsewhere than its form."""
    form = copy(page.forms[button["form"]])
    form.action = button["formaction"]
    if "name" in button.attrs:
        sent_with_it = Hidden(form, "input", button["name"], 0, value=button["value"])
        form.field_order = [*form.field_order, (button["name"], sent_with_it)]
    return form


def form_with(page: TestResponse, action: str) -> Form:
    """Return the first form whose action, or that of a button in it, has these words."""
    forms = page.forms.values()
    buttons = (button_form(page, one) for one in page.html.select("button[formaction]"))
    return next(one for one in chain(forms, buttons) if action in one.action)


def sent(form: Form, **fields: str) -> TestResponse:
    """Fill in a form and submit it."""
    for name, value in fields.items():
        form[name] = value
    return form.submit(status="*")


def wrong(page: TestResponse) -> str:
    """Return the error of the only invalid field."""
    assert page.status_int == 400
    found = page.html.find_all(class_="wrong")
    assert len(found) == 1, page.text
    field = page.html.find(id=found[0]["id"].removesuffix("-wrong"))
    assert field["aria-invalid"] == "true"
    assert found[0]["id"] in field["aria-describedby"]
    return found[0].text


def problem(page: TestResponse) -> str:
    """Return the error of the whole form."""
    return page.html.find(role="alert").text.strip()


def with_password(forum: Forum, login: str = "ann", **columns: Any) -> int:
    """Add a user who logs in with PASSWORD, and return the id."""
    person = forum.person(login)
    forum.change(
        person.id,
        password_hash=hash_password(PASSWORD),
        email=f"{login}@example.org",
        email_key=f"{login}@example.org",
        **columns,
    )
    return person.id


def expire_sessions(forum: Forum) -> None:
    with forum.database.session.begin() as db:
        db.execute(
            update(BrowserSession)
            .values(expires_at=clock.now())
            .execution_options(synchronize_session=False)
        )
