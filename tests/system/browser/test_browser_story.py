"""A newcomer's story on a phone and a desk, in both languages, with scripts and without."""

import re
from collections.abc import Iterator
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, FilePayload, Page, ViewportSize, expect

from forumsvc.services.search.reindexing import reindex

from .people import log_in_by_names, log_out
from .service import PASSWORD, Service

SIZES = {
    "phone": ViewportSize(width=360, height=740),
    "desk": ViewportSize(width=1280, height=800),
}
SUBMIT = "main .actions button:not(.second, .plain)"


def picture() -> FilePayload:
    file = BytesIO()
    Image.new("RGB", (640, 400), "steelblue").save(file, "JPEG")
    return {"name": "boat.jpg", "mimeType": "image/jpeg", "buffer": file.getvalue()}


class Person:
    def __init__(self, browser: Browser, service: Service, login: str, **options: object) -> None:
        self.login = login
        self.context: BrowserContext = browser.new_context(
            base_url=service.address,
            **options,  # type: ignore[arg-type]
        )
        self.page: Page = self.context.new_page()

    def press(self, action: str, within: str = "main") -> None:
        """Press the button of an action, by the end of its address."""
        self.page.locator(f"{within} button[formaction$='/{action}']").first.click()


@pytest.fixture
def people() -> Iterator[list[Person]]:
    """Those who take part; their browsers are closed at the end."""
    found: list[Person] = []
    yield found
    for person in found:
        person.context.close()


@pytest.mark.parametrize(
    ("language", "has_scripts", "size"), [("en", False, "desk"), ("zh-CN", True, "phone")]
)
def test_a_newcomer_reads_searches_joins_writes_is_answered_told_likes_and_follows(
    browser, service, people, language, has_scripts, size
):
    name = f"{language[:2]}{has_scripts:d}"
    options = {
        "locale": language,
        "java_script_enabled": has_scripts,
        "viewport": SIZES[size],
    }
    new = Person(browser, service, f"new{name}", **options)
    old = Person(browser, service, f"old{name}", **options)
    people += [new, old]
    service.person(old.login)
    service.node(f"Boats {name}")
    page = old.page
    page.goto("/topics/new")
    log_in_by_names(page, old.login)
    page.locator("#title").fill(f"Rowing in {name}")
    page.locator("#node_id").select_option(label=f"Boats {name}")
    page.locator("#body").fill("A **first** topic")
    page.locator(SUBMIT).click()
    expect(page.locator("h1")).to_have_text(f"Rowing in {name}")
    reindex(service.database)

    page = new.page
    page.goto("/")
    page.goto("/search")
    page.locator("#q").fill(f"Rowing {name}")
    page.locator("form.search button").click()
    page.locator(".found .title").first.click()
    expect(page.locator("h1")).to_have_text(f"Rowing in {name}")
    expect(page.locator("main form")).to_have_count(0)
    page.goto("/signup")
    page.locator("#login").fill(new.login)
    page.locator("#email").fill(f"{new.login}@example.org")
    page.locator("#password").fill(PASSWORD)
    page.locator(SUBMIT).click()
    expect(page.locator("header .menu")).to_contain_text(new.login)
    page.goto("/topics/new")
    page.locator("#title").fill(f"My boat {name}")
    page.locator("#node_id").select_option(label=f"Boats {name}")
    page.locator("#body").fill("This is my boat:")
    page.locator("#picture").set_input_files(picture())
    page.locator("button[name=preview]").click()
    expect(page.locator(".preview img")).to_have_count(1)
    page.locator(SUBMIT).click()
    expect(page.locator("#topic img[src*='/photos/']")).to_have_count(1)
    topic = re.sub(r"[?#].*", "", page.url)

    page = old.page
    page.goto(topic)
    page.locator("#body").fill(f"A fine boat, @{new.login}!")
    page.locator(SUBMIT).click()
    expect(page.locator("article.reply")).to_have_count(1)

    page = new.page
    page.goto("/")
    expect(page.locator("header nav .mark")).to_contain_text("1")
    page.locator("header nav .mark").click()
    page.locator(".unread .about a").last.click()
    expect(page.locator("article.reply .user-mention")).to_have_count(1)
    new.press("like", "article.reply")
    expect(page.locator("article.reply [formaction$='/unlike']")).to_have_count(1)
    page.locator("article.reply .about a").first.click()
    expect(page.locator("h1")).to_have_text(old.login)
    new.press("follow")
    expect(page.locator("[formaction$='/unfollow']")).to_have_count(1)
    page.goto(f"/{new.login}/following")
    expect(page.locator(".people")).to_contain_text(old.login)
    log_out(page)
    expect(page).to_have_url(re.compile(r"/login$"))
