"""Runs the steps of stories about pages: `pages.yaml` says which there are."""

import re
import shlex
from collections.abc import Callable
from functools import cached_property
from typing import Any

from sqlalchemy import select
from webtest import Checkbox, TestResponse

from forumsvc import clock
from forumsvc.models import User
from forumsvc.services.search.reindexing import reindex
from tests.functional.forum import Forum, Person, content, role_of, scope_of
from tests.functional.stories import SQL, Lines

from .pictures import png
from .visitor import Mail, Visitor, expire_sessions, form_of, form_with, problem, with_password


class Story(Lines):
    """The values of a story, its forum, and who acts in it: each has a browser and a token."""

    options = ("headers", "button")

    def __init__(self, make: Callable[..., tuple[Forum, Mail]]) -> None:
        super().__init__()
        self.make = make
        self.settings: dict[str, str] = {}
        self.browsers: dict[str, Visitor] = {}
        self.people: dict[str, Person] = {}
        self.shown: dict[str, TestResponse] = {}

    @cached_property
    def made(self) -> tuple[Forum, Mail]:
        """The forum, made with the settings at the beginning, and its emails."""
        return self.make(**self.settings)

    @property
    def forum(self) -> Forum:
        """The forum."""
        return self.made[0]

    def line(self, line: str, expected: Any, options: dict[str, Any]) -> None:
        """Do a step, and fail if it ends otherwise."""
        if line == "settings":
            assert "made" not in vars(self), "the forum is there already"
            self.settings = {name: str(value) for name, value in expected.items()}
        elif line == "sessions end":
            expire_sessions(self.forum)
        elif line == "posts are indexed":
            reindex(self.forum.database)
        elif line == "mail":
            self.check_mail(expected)
        elif line.startswith(SQL):
            self.check_rows(self.forum.database, line, expected)
        else:
            who, verb, *rest = line.split(" ", 2)
            words = "".join(rest)
            if verb == "writes":
                self.write(self.person(who), words, expected or {})
            elif verb == "api":
                self.check_answer(self.call(who, words), expected)
            else:
                self.check_page(who, self.load(who, verb, words, options), expected)

    def person(self, login: str) -> Person:
        """Return a user, added at their first step."""
        if login not in self.people:
            user_id = self.id_of(login) or with_password(
                self.forum, login, role=role_of(login), email_confirmed_at=clock.now()
            )
            token = self.forum.token(user_id, scope=scope_of(login))
            self.people[login] = Person(self.forum.app, token, user_id, login)
            self.values[login] = user_id
        return self.people[login]

    def id_of(self, login: str) -> int | None:
        """Return the id of a user who has signed up."""
        with self.forum.database.reads.connect() as db:
            return db.scalar(select(User.id).where(User.login_key == login.lower()))

    def browser(self, who: str) -> Visitor:
        """Return the browser of somebody, who is logged in there: `nobody` and `new` are not."""
        if who not in self.browsers:
            self.browsers[who] = Visitor(self.forum)
            if who not in ("nobody", "new"):
                self.person(who)
                self.browsers[who].log_in(who)
        return self.browsers[who]

    def write(self, author: Person, kind: str, text: dict[str, Any]) -> None:
        """Write a node, a topic in it, or a reply to that; the id is the value of that name."""
        words = {key: text[key] for key in text if key != "as"}
        if kind == "node":
            made = self.forum.node(**{"name": "General", **words})
        elif kind == "topic":
            if "node" not in self.values:
                self.values["node"] = self.forum.node()
            made = self.forum.topic(author, self.values["node"], **words)
        else:
            made = self.forum.reply(author, self.values["topic"], **words)
        self.values[text.get("as", kind)] = made

    def call(self, who: str, line: str) -> TestResponse:
        """Call the API."""
        method, path, *words = shlex.split(line)
        caller = self.forum.nobody if who == "nobody" else self.person(who)
        return caller.call(method, self.values.fill(path), self.fields(words))

    def load(self, who: str, verb: str, line: str, options: dict[str, Any]) -> TestResponse:
        """Load or submit a page."""
        browser = self.browser(who)
        if verb == "CLICK":
            link = self.shown[who].html.find("a", string=re.compile(re.escape(line)))
            return browser.get(link["href"])
        words = shlex.split(line)
        place = self.values.fill(words.pop(0)) if words and words[0][0] in "/$" else ""
        fields = self.fields(words)
        if verb == "GET":
            headers = options.get("headers", {})
            return browser.app.get(place, fields or None, headers=headers, status="*")
        if verb == "POST":
            return browser.post(place, **fields)
        page = browser.get(place) if verb == "SEND" else self.shown[who]
        form = form_of(page) if verb == "SEND" or not place else form_with(page, place)
        for name, value in fields.items():
            if value == "a picture":
                form[name] = png()
            else:
                form[name] = value == "true" if isinstance(form[name], Checkbox) else value
        return form.submit(options.get("button"), status="*")

    def fields(self, words: list[str]) -> dict[str, str]:
        """Return the fields of a form, each of which is NAME=VALUE."""
        pairs = (word.partition("=") for word in words)
        return {name: self.values.fill(value) for name, _, value in pairs}

    def check_answer(self, answer: TestResponse, expected: Any) -> None:
        """Compare an answer of the API: its status, or that of a success and its JSON."""
        if isinstance(expected, int):
            assert answer.status_int == expected, answer.text
            return
        if isinstance(expected, str):
            assert self.values.is_like(expected, answer.json.get("error", "")), answer.text
            return
        assert answer.status_int < 300, answer.text
        shown = content(answer) if answer.text.startswith(("{", "[")) else None
        if expected is not None:
            self.values.compare(expected, shown, "the answer")

    def check_page(self, who: str, page: TestResponse, expected: Any) -> None:
        """Compare a page, and keep it for what is pressed on it."""
        if not isinstance(expected, dict):
            key = "status" if isinstance(expected, int) else "shows"
            expected = {} if expected is None else {key: expected}
        if "status" in expected:
            assert page.status_int == expected["status"], (page.status, page.text[-3000:])
        elif not {"problem", "wrong"} & {*expected}:
            assert page.status_int < 400, (page.status, page.text[-3000:])
        if "to" in expected:
            self.values.compare(expected["to"], page.location, "the address")
        about_page = expected.keys() - {"status", "to"}
        if page.status_int == 303 and (about_page or not expected):
            page = self.browser(who).get(page.location).maybe_follow()
        self.shown[who] = page
        for key in expected:
            if key not in ("status", "to"):
                getattr(self, f"check_{key}")(page, expected[key])

    def check_problem(self, page: TestResponse, expected: str) -> None:
        """Compare the error of the whole page."""
        assert self.values.is_like(f"{expected}…", problem(page)), problem(page)

    def check_wrong(self, page: TestResponse, expected: dict[str, str]) -> None:
        """Compare the errors of the fields."""
        assert page.status_int == 400, page.status
        errors = {
            one["id"].removesuffix("-wrong"): one.text for one in page.html.select(".wrong[id]")
        }
        assert errors.keys() == expected.keys(), errors
        for name, error in errors.items():
            assert self.values.is_like(f"{expected[name]}…", error), errors
            field = page.html.find(id=name)
            assert f"{name}-wrong" in field["aria-describedby"]
            assert field.name == "fieldset" or field["aria-invalid"] == "true"

    def check_shows(self, page: TestResponse, expected: Any) -> None:
        """Check that each of these texts is in the main part of the page."""
        shown = words_of(page)
        for text_ in [expected] if isinstance(expected, str) else expected:
            assert self.values.is_like(f"…{text_}…", shown), (text_, shown)

    def check_lacks(self, page: TestResponse, expected: Any) -> None:
        """Check that none of these texts is there."""
        shown = words_of(page)
        for text_ in [expected] if isinstance(expected, str) else expected:
            assert not self.values.is_like(f"…{text_}…", shown), (text_, shown)

    def check_has(self, page: TestResponse, expected: dict[str, Any]) -> None:
        """Compare the elements of each selector: their number, or the text of each."""
        for selector, wanted in expected.items():
            found = page.html.select(self.values.fill(selector))
            texts = [" ".join(one.text.split()) for one in found]
            if isinstance(wanted, int):
                assert len(found) == wanted, (selector, texts)
            else:
                listed = [wanted] if isinstance(wanted, str) else wanted
                self.values.compare(listed, texts, selector)

    def check_mail(self, expected: list[dict[str, str]]) -> None:
        """Compare all emails, and keep the last address in the last one as `$link`."""
        mails = self.made[1]()
        found = [{"to": one["To"], "subject": one["Subject"]} for one in mails]
        self.values.compare(expected, found, "the mail")
        links = re.findall(r"http://localhost(/\S+)", mails[-1].get_content()) if mails else []
        self.values["link"] = links[-1] if links else None


def words_of(page: TestResponse) -> str:
    """Return the text of the main part of a page, with what its fields contain."""
    main = page.html.find("main") or page.html
    return " ".join(main.text.split())
