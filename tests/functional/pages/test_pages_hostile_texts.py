"""Every field of every form of the pages takes any text: never a 5xx, and never as markup."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from sqlalchemy import delete, insert
from webtest import TestResponse

from forumsvc import clock
from forumsvc.models import BrowserSession, Topic
from forumsvc.process.passwords import hash_password
from forumsvc.sessions.token_hash import hash_token
from forumsvc.web.pipeline.session_cookie import site_cookie_name
from tests.databases import on_sqlite
from tests.functional.forum import Forum
from tests.functional.oauth.application import Application

from .community import settle
from .test_pages_links import follow
from .visitor import PASSWORD, Visitor, button_form, with_password

TEXTS = {
    "script": "<hostile></title></textarea></script><script>hostile()</script><hostile>",
    "quotes": '"\'`><hostile a="b" \' hostile="1" onfocus=\'hostile()\' & &lt;hostile&gt;',
    "address": "javascript:hostile()//",
    "NUL": "a\0b",
    "line breaks": "a\r\nX-Hostile: 1\r\n\r\n\u2028\x0b",
    "combining marks": "a" + "\u0316\u0301" * 32_768,
    "bidi marks": "\u202e\u2067a\u202c\u202d\u2069\u2066",
    "digits": "9" * 5_000,
    "negative": "-1",
    "other digits": "\u0663\u00b2",
    "template": "{{ 7 * 7 }} %(hostile)s %s ${hostile}",
    "nothing": "",
}
MARKUP = ("script", "quotes")
"""The page after a form is read where it may show these; all pages are read at the end."""
LONE_SURROGATES = (b"a%ED%A0%80b", b"a%FF%C0%80b")
"""As they are sent: they are no text."""
VALID = {"login": "somebody", "email": "somebody@example.org", "days": "1", "silence_days": "1"}
"""What the other fields contain, so that a form is refused for one field alone."""
SETTINGS = {
    "accounts__registration": "open",
    "accounts__registrations_per_hour": "100000",
    "accounts__confirm_email": "false",
    "mail__delivery": "folder",
    "mail__requests_per_hour": "100000",
    "oauth__user_registered_clients": "true",
    "rate_limit__requests": "off",
    "markup__user_seconds_per_minute": "60",
}
SECRET = "s" * 43
URI = "https://app.example/back"


class FormOnPage(NamedTuple):
    """A form. fields: its names with what a browser would send."""

    method: str
    action: str
    fields: dict[str, str]


def forms_on(page: TestResponse) -> Iterator[FormOnPage]:
    """Yield the forms of a page with their fields filled in, once more for each named button."""
    for number, tag in enumerate(page.html.find_all("form")):
        form = page.forms[number]
        if tag.get("id") == "buttons":
            continue
        fields = {name: str(value) for name, value in form.submit_fields() if name}
        for choice in tag.find_all("input", type="radio"):
            fields.setdefault(choice["name"], choice["value"])
        fields |= {one["name"]: PASSWORD for one in tag.find_all("input", type="password")}
        for empty in tag.find_all(["input", "textarea"], id=True, type=lambda kind: kind != "file"):
            name = empty["name"]
            fields[name] = fields[name] or VALID.get(name, "https://example.org/")
        for choice in tag.find_all("select"):
            fields[choice["name"]] = choice.find_all("option")[-1]["value"]
        method = form.method.upper()
        yield FormOnPage(method, form.action, fields)
        for button in tag.find_all("button", {"name": True}):
            yield FormOnPage(method, form.action, {**fields, button["name"]: button["value"]})
    for button in page.html.select("button[formaction]"):
        form = button_form(page, button)
        yield FormOnPage("POST", form.action, dict(form.submit_fields()))


def forms_of(pages: dict[str, TestResponse]) -> list[FormOnPage]:
    """Return one form of each kind; those with few fields last, as they delete and hide."""
    found: dict[tuple[str, ...], FormOnPage] = {}
    for page in pages.values():
        if page.content_type == "text/html" and page.status_int == 200:
            for form in forms_on(page):
                kind = re.sub(r"\d+|(?<=/)(ann|bob|carl|root)(?=/)", "*", form.action)
                found.setdefault((form.method, kind, *form.fields), form)
    return sorted(found.values(), key=lambda form: -len(form.fields))


class Person:
    """Somebody whose browser stays logged in whatever its forms do."""

    def __init__(self, forum: Forum, user_id: int | None, role: str) -> None:
        self.visitor, self._forum, self._user_id = Visitor(forum), forum, user_id
        self._columns = {"role": role, "password_hash": hash_password(PASSWORD)}
        self.come_back()
        page = self.visitor.get("/login" if user_id is None else "/applications")
        self.token = page.html.find("input", {"name": "csrf_token"})["value"]
        self._cookies = dict(self.visitor.app.cookies)

    def come_back(self) -> None:
        """Undo what a form did to the account and to the session."""
        if self._user_id is None:
            for name, value in getattr(self, "_cookies", {}).items():
                self.visitor.app.set_cookie(name, value)
            return
        self._forum.change(self._user_id, **self._columns)
        now = clock.now()
        with self._forum.database.session.begin() as db:
            db.execute(delete(BrowserSession))
            db.execute(
                insert(BrowserSession).values(
                    secret_hash=hash_token(SECRET),
                    user_id=self._user_id,
                    created_at=now,
                    expires_at=now + timedelta(hours=1),
                )
            )
        self.visitor.app.set_cookie(site_cookie_name("http://localhost", "session"), SECRET)

    def send(
        self, form: FormOnPage, fields: Any, *, follows: bool = False, **options: Any
    ) -> TestResponse:
        """Submit fields. follows: whether to follow a redirect on this site."""
        self.come_back()
        app = self.visitor.app
        submit = app.get if form.method == "GET" else app.post
        answer = submit(form.action, fields, status="*", **options)
        if follows and answer.status_int in (302, 303) and answer.location.startswith("/"):
            return answer.follow(status="*")
        return answer


def fault(answer: TestResponse) -> str:
    """Return what is wrong with an answer, or nothing."""
    if answer.status_int >= 500:
        return str(answer.status_int)
    if "X-Hostile" in answer.headers or "hostile" in answer.headers.get("Location", ""):
        return "header"
    if answer.content_type != "text/html" or "hostile" not in answer.text:
        return ""
    tags = answer.html.find_all(lambda tag: tag.name == "hostile" or "hostile" in tag.attrs)
    scripts = [one for one in answer.html.find_all("script") if "hostile()" in (one.string or "")]
    links = answer.html.find_all(href=re.compile("(?i)^javascript:"))
    return "not escaped" if tags or links or any("ld+json" not in str(s) for s in scripts) else ""


def faults(person: Person, form: FormOnPage) -> Iterator[str]:
    """Yield what is wrong with a form, for each field and each text."""
    filled = {**form.fields, "csrf_token": person.token}
    if form.method != "GET":
        answer = person.send(form, form.fields | {"csrf_token": ""})
        if answer.status_int not in (400, 403):
            yield f"without a token: {answer.status_int}"
    for name in form.fields:
        others = {key: value for key, value in filled.items() if key != name}
        pairs = list(others.items())
        sent: dict[str, Any] = {
            # As long as an address can be.
            kind: {**others, name: text[:2_000] if form.method == "GET" else text}
            for kind, text in TEXTS.items()
        }
        sent["twice"] = [*pairs, (name, "1"), (name, "2")]
        sent["other names"] = [*pairs, *((f"{name}{more}", "1") for more in ("[]", "[a]", ".a"))]
        sent["missing"] = others
        for kind, fields in sent.items():
            if problem := fault(person.send(form, fields, follows=kind in MARKUP)):
                yield f"{name}, {kind}: {problem}"
        if form.method == "GET":
            continue
        for text in LONE_SURROGATES:
            body = b"%s=%s&csrf_token=%s" % (name.encode(), text, person.token.encode())
            if problem := fault(person.send(form, body)):
                yield f"{name}, surrogates: {problem}"
        file = (name, "<hostile>.png", b"\x89PNG\r\n\x1a\n<hostile>")
        if problem := fault(person.send(form, others, upload_files=[file])):
            yield f"{name}, a file: {problem}"


@on_sqlite
@pytest.mark.extended
@pytest.mark.parametrize("caller", ["visitor", "maintainer"])  # who has all forms of a member
def test_every_form_takes_every_text(make_forum, caller):
    forum = make_forum(**SETTINGS)
    ann = with_password(forum)
    there = settle(forum, ann, ann)
    client = Application(forum, redirect_uris=[URI]).credentials["client_id"]
    person = Person(forum, None if caller == "visitor" else ann, "maintainer")
    consent = (
        f"/oauth/authorize?response_type=code&client_id={client}&redirect_uri={URI}&scope=read"
    )
    mine = [] if caller == "visitor" else [consent, f"/held/{there.held}"]
    pages, _ = follow(person.visitor, ["/", "/search?q=boats", *mine])
    forms, topics = forms_of(pages), forum.count(Topic)
    assert len(forms) > {"visitor": 4, "maintainer": 25}[caller]
    wrong = [f"{form.action} {one}" for form in forms for one in faults(person, form)]
    assert wrong == [], "\n".join(wrong)
    if caller != "visitor":
        assert forum.count(Topic) > topics + len(TEXTS) / 2
    # And what they stored harms no page on which it is shown.
    person.come_back()
    shown = {path: fault(person.visitor.get(path)) for path in pages}
    assert {path: problem for path, problem in shown.items() if problem} == {}
