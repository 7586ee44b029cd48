"""On the train: a reply is begun on a phone, the network ends, and another device finishes it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from urllib.parse import urlsplit

import requests
from playwright.sync_api import Browser, Page, ViewportSize, expect
from sqlalchemy import update

from forumsvc import clock
from forumsvc.models import Job, JobKind, Notification, Reply, User
from tests.system.process import PATIENCE, wait_until

from .people import follow, log_in_by_names
from .service import Service

PHONE = ViewportSize(width=390, height=800)
DESK = ViewportSize(width=1280, height=800)
SEND = "form:has(#body) .actions button >> nth=0"


@contextmanager
def device(
    browser: Browser, service: Service, login: str, size: ViewportSize = DESK
) -> Iterator[Page]:
    """Yield a tab of a browser of its own, in which somebody is logged in."""
    with browser.new_context(base_url=service.address, viewport=size) as context:
        page = context.new_page()
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto("/login")
        log_in_by_names(page, login)
        yield page


def write_a_topic(page: Page) -> str:
    """Write a topic; return the path of its page."""
    page.goto("/topics/new")
    page.locator("#title").fill("Trains by the sea")
    page.locator("#node_id").select_option(label="Trains")
    page.locator("#body").fill("Which one do you take?")
    follow(page.locator(SEND))
    return urlsplit(page.url).path


def let_the_email_be_due(service: Service) -> None:
    past = clock.now() - timedelta(seconds=30)
    with service.database.session.begin() as db:
        old = {"mail_at": past, "created_at": past}
        db.execute(update(Notification).where(Notification.mail_at.is_not(None)).values(old))
        db.execute(update(Reply).values(created_at=past))
        is_work = (Job.kind == JobKind.PERIODIC, Job.key == "notification-mails")
        db.execute(update(Job).where(*is_work).values(due_at=past))


def emails(service: Service) -> list[EmailMessage]:
    """Return what was sent about what happened."""
    files = [file.read_bytes() for file in (service.folder / "mail").glob("*.eml")]
    read = [message_from_bytes(one, _class=EmailMessage, policy=policy.default) for one in files]
    return [message for message in read if message["List-Unsubscribe"]]


def test_what_is_begun_on_the_train_is_finished_corrected_and_told_of(browser, service):
    service.node("Trains")
    for login in ("host", "rider", "passerby"):
        service.person(login)
    chief = service.person("chief")
    with service.database.session.begin() as db:
        db.execute(update(User).where(User.id == chief).values(role="maintainer"))
        confirmed = {"email_confirmed_at": clock.now(), "mail_reply": "instant"}
        db.execute(update(User).where(User.login == "host").values(confirmed))
    with device(browser, service, "host") as host:
        path = write_a_topic(host)

        with device(browser, service, "rider", PHONE) as phone:
            phone.clock.install()
            phone.goto(path)
            phone.locator("#body").press_sequentially("The slow one")
            phone.clock.fast_forward(10_000)
            expect(phone.locator(".actions [role=status]")).to_contain_text("Your draft is saved")
            phone.context.set_offline(True)
            phone.locator("#body").press_sequentially(", and")
            phone.clock.fast_forward(10_000)
            phone.close()
        service.expire_sessions("rider")

        with device(browser, service, "rider") as desk:
            service.expire_sessions("rider")
            desk.goto("/settings/drafts")
            log_in_by_names(desk, "rider")
            follow(desk.get_by_role("link", name="Continue"))
            expect(desk.locator("#body")).to_have_value("The slow one")
            desk.locator("#body").fill("The slow one by the lake.")
            follow(desk.locator(SEND))
            reply = desk.locator(".reply")
            expect(reply).to_contain_text("by the lake")
            expect(reply.locator(".edited")).to_have_count(0)
            desk.goto("/settings/drafts")
            expect(desk.locator(".entry")).to_have_count(0)

            let_the_email_be_due(service)
            wait_until(lambda: emails(service), "the email")

            host.goto(path)
            host.locator(".reply button[formaction$='/like']").first.click()
            expect(host.locator(".reply button[formaction$='/unlike']")).to_have_count(1)
            desk.goto(path)
            follow(desk.locator(".reply a[href$='/edit']"))
            desk.locator("#body").fill("The quick one by the lake.")
            follow(desk.locator(SEND))
            follow(desk.locator(".reply a.edited"))
            expect(desk.locator("del, s")).to_have_text("slow")
            expect(desk.locator("ins, u")).to_have_text("quick")
            former = urlsplit(desk.url).path

        with device(browser, service, "chief") as moderator:
            moderator.goto(path)
            follow(moderator.locator(".reply a.edited"))
            expect(moderator.locator("ins, u")).to_have_text("quick")
        with device(browser, service, "passerby") as other:
            other.goto(path)
            expect(other.locator(".reply")).to_contain_text("Edited")
            refused = other.goto(former)
            assert refused is not None
            assert refused.status == 403

        [message] = emails(service)
        assert message["To"] == "host@example.org"
        assert "The slow one by the lake." in message.as_string()
        [link] = re.findall("<(http[^>]+)>", message["List-Unsubscribe"])
        address = service.address + link[link.index("/mail/") :]
        for _ in range(2):
            form = {"List-Unsubscribe": "One-Click"}
            assert requests.post(address, data=form, timeout=PATIENCE).status_code == 200
        host.goto("/settings/mail")
        expect(host.locator("[name=reply]:checked")).to_have_value("off")
