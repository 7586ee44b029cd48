"""Attempts to lose a text while it is written, with scripts and without."""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import BrowserContext, Error, FilePayload, Page
from sqlalchemy import func, select, update

from forumsvc import clock
from forumsvc.models import Node, Reply, Topic, User, UserState
from tests.system.process import wait_until

from .people import log_in_by_names
from .service import Service

TEXT = "A long text\n\nof two paragraphs, written for half an hour"
SEND = "form:has(#body) .actions button"


@dataclass
class Writer:
    """A person who has written TEXT into the field of a topic's page, and not sent it."""

    service: Service
    context: BrowserContext
    page: Page
    login: str
    topic: int

    def send(self, button: str = SEND) -> None:
        with self.page.expect_navigation():
            self.page.locator(button).first.click()

    def change(self, table: type[Topic] | type[User], **values: object) -> None:
        mine = table.id == self.topic if table is Topic else User.login == self.login
        with self.service.database.session.begin() as db:
            db.execute(update(table).where(mine).values(**values))


def session_ends(it: Writer) -> None:
    it.service.expire_sessions(it.login)
    it.send()
    with it.page.expect_navigation():
        log_in_by_names(it.page, it.login)


def log_out_in_another_tab(it: Writer) -> None:
    other = it.context.new_page()
    other.goto("/")
    other.locator("header .menu").click()
    with other.expect_navigation():
        other.locator("#menu button").click()
    it.send()
    with it.page.expect_navigation():
        log_in_by_names(it.page, it.login)


def topic_is_closed(it: Writer) -> None:
    it.change(Topic, closed_at=clock.now())
    it.send()


def topic_is_deleted(it: Writer) -> None:
    it.change(Topic, deleted_at=clock.now())
    it.send()


def silenced(it: Writer) -> None:
    it.change(User, state=UserState.BLOCKED)
    it.send()


def goes_back_from_the_preview(it: Writer) -> None:
    it.page.locator("button[name=preview]").click()
    it.page.locator(".preview .forum-content").wait_for()
    # Without scripts it is another page.
    if it.page.url.endswith("/replies"):
        it.page.go_back()


def goes_away_and_back(it: Writer) -> None:
    it.page.on("dialog", lambda dialog: dialog.accept())
    with it.page.expect_navigation():
        it.page.locator("header .site").click()
    it.page.go_back()


def sends_while_offline_and_again(it: Writer) -> None:
    # `set_offline(False)` may return before the browser is online.
    it.context.route("**/*", lambda route: route.abort("internetdisconnected"))
    it.page.locator(SEND).first.click()
    it.page.wait_for_url(re.compile("^chrome-error:"))
    it.context.unroute_all()
    it.page.go_back()


def clicks_twice(it: Writer) -> None:
    it.page.locator(SEND).first.dblclick()
    # The second click ends the navigation of the first.
    it.page.locator("article.reply").nth(1).wait_for()


def quotes_another(it: Writer) -> None:
    it.send(".reply button[name=quote]")


def edits_in_two_tabs(it: Writer) -> None:
    other = it.context.new_page()
    for page in (it.page, other):
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"/topics/{it.topic}/edit")
    other.locator("#body").fill("The faster one")
    with other.expect_navigation():
        other.locator(SEND).first.click()
    it.page.locator("#body").fill(TEXT)
    it.send()


def is_too_long(it: Writer) -> None:
    it.page.locator("#body").fill(TEXT + "x" * 70_000)
    it.send()


def attaches_too_large_a_picture(it: Writer) -> None:
    large: FilePayload = {"name": "a.png", "mimeType": "image/png", "buffer": bytes(13_000_000)}
    it.page.locator("#picture").set_input_files(large)
    it.send()
    if not it.page.locator("#body").count():
        it.page.go_back()


ATTEMPTS = (
    session_ends,
    log_out_in_another_tab,
    topic_is_closed,
    topic_is_deleted,
    silenced,
    goes_back_from_the_preview,
    goes_away_and_back,
    sends_while_offline_and_again,
    clicks_twice,
    quotes_another,
    edits_in_two_tabs,
    is_too_long,
    attaches_too_large_a_picture,
)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda it: it.__name__)
def test_a_text_is_sent_once_or_stands_in_a_field(browser, service, attempt, scripts):
    login = f"w{attempt.__name__[:12]}{int(scripts)}".replace("_", "")
    service.person(login)
    with service.database.session() as db:
        has_node = db.scalar(select(func.count()).select_from(Node))
    if not has_node:
        service.node("Boats")
    with browser.new_context(base_url=service.address, java_script_enabled=scripts) as context:
        page = context.new_page()
        page.goto("/login")
        log_in_by_names(page, login)
        page.locator("header .menu").wait_for()
        topic = write_a_topic(page)
        page.locator("#body").fill(TEXT)
        attempt(Writer(service, context, page, login, topic))

        def in_a_field() -> bool:
            try:
                return any(TEXT in one.input_value() for one in page.locator("textarea").all())
            except Error:  # another page comes
                return False

        def sent() -> int:
            with service.database.session() as db:
                mine = Reply.topic_id == topic, Reply.body.contains(TEXT[-12:])
                return db.scalars(select(func.count()).where(*mine)).one()

        # A browser fills the fields of a page that it shows again when it has loaded.
        wait_until(lambda: sent() or in_a_field(), "the text is sent or stands in a field")
        page.wait_for_load_state()
        assert sent() + in_a_field() == 1


def write_a_topic(page: Page) -> int:
    """Write a topic and a reply that can be quoted, and stay on its page; return its id."""
    page.goto("/topics/new")
    page.locator("#title").fill("A topic")
    page.locator("#node_id").select_option(index=1)
    page.locator("#body").fill("Its text")
    page.locator(SEND).first.click()
    page.wait_for_url(re.compile(r"/topics/\d+"))
    topic = int(page.url.rpartition("/")[2].partition("?")[0])
    page.locator("#body").fill("A first reply")
    page.locator(SEND).first.click()
    page.locator(".reply button[name=quote]").wait_for()
    return topic
