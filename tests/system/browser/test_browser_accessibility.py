"""Every page in each state: axe-core finds nothing, it fits, and its policy is not broken.

With SCREENSHOTS set to a folder, a screenshot of each is stored there.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.functional.pages.community import Community, settle

from .conftest import forum_in
from .judges import accessibility_errors
from .people import follow, log_in_by_names
from .service import Service

SIZES = {"phone": (320, 640), "desk": (1280, 800)}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SMALL = """[...document.querySelectorAll(
    'button, input:not([type=hidden], [disabled]), .button, nav a')]
    .filter(one => one.getClientRects().length)
    .map(one => [one, (one.closest('label') ?? one).getBoundingClientRect()])
    .filter(([one, box]) => box.height < 24 || box.width < 24)
    .map(([one, box]) => `${box.width} x ${box.height}: ${one.outerHTML}`.slice(0, 150))"""


@pytest.fixture(scope="module")
def community(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Community]:
    """What is to be seen in the service; dora is a member, keeper a maintainer."""
    url = service.database.url.render_as_string(hide_password=False)
    with forum_in(tmp_path_factory.mktemp("community"), url) as forum:
        yield settle(forum, service.person("dora"), service.person("keeper"))


def paths(community: Community) -> dict[str, list[str]]:
    """Return the paths to look at, by who looks."""
    rich, closed, banned = community.rich, community.closed, community.banned
    return {
        "nobody": [
            *("/", "/topics/popular", f"/topics/node{community.node}", "/topics/excellent"),
            *(f"/topics/{rich}", f"/topics/{rich}?page=2", f"/topics/{closed}"),
            *(f"/topics/{rich}/likes", f"/topics/{community.deleted}", f"/topics/{banned}"),
            *("/bob", "/bob/replies", "/carl/favorites", "/bob/followers", "/dora/following"),
            *("/search", "/search?q=boats", "/search?q=zzz", "/search?q=by%3Anobody"),
            *("/search?q=number&kind=replies", "/search?q=b&kind=users"),
            *("/about", "/moderators", "/privacy", "/settings/display"),
            *("/login", "/signup", "/password/forgotten", "/password/reset?reset_token=x"),
            *("/docs/guide", "/docs/guide/errors", "/nothing/here"),
        ],
        "dora": [
            *("/", f"/topics/{rich}", f"/topics/{closed}", "/bob", "/dora"),
            *("/notifications", "/settings", "/password", "/applications", "/settings/email"),
            *("/settings/sessions", "/settings/blocked", "/settings/notifications"),
            *("/settings/display", "/settings/photos", "/settings/data", "/notifications/delete"),
            *("/topics/new", f"/topics/{rich}/replies?quote={community.reply}"),
            *(f"/topics/{rich}/edit", f"/topics/{rich}/report", "/nothing/here"),
            *(f"/held/{community.held}", "/held"),
        ],
        "keeper": [
            *(f"/topics/{rich}", f"/topics/{banned}", f"/topics/{rich}/edit"),
            *("/moderation", "/moderation/resolved", "/moderation/log"),
            *(f"/moderation/reviews/{community.review}", "/moderation/users/carl"),
            *(f"/moderation/reviews/{community.held_review}", f"/topics/{rich}/delete"),
            *(f"/topics/{closed}/open", f"/replies/{community.reply}/delete"),
        ],
    }


class Looker:
    def __init__(self, page: Page, name: str) -> None:
        self.page = page
        self.name = name
        self.wrong: list[str] = []
        self.looked = 0
        folder = os.environ.get("SCREENSHOTS")
        self.folder = Path(folder) if folder else None
        page.on("console", lambda message: self.complain(message.text))

    def complain(self, text: str) -> None:
        """Note what the browser says, but for statuses, foreign pictures, and typing."""
        # The second one is of a page in which the test types at once.
        if not text.startswith(("Failed to load resource", "Autofocus processing was blocked")):
            self.wrong.append(f"{self.page.url}: {text}")

    def look(self, who: str) -> None:
        page, self.looked = self.page, self.looked + 1
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        if self.folder:
            name = f"{self.name}-{self.looked:02}-{who}.png"
            page.screenshot(path=self.folder / name, full_page=True)
        found = accessibility_errors(page)
        if page.evaluate(OVERFLOW) > 0:
            found.append("it is wider than the screen")
        found += [f"smaller than 24 x 24: {target}" for target in page.evaluate(SMALL)]
        self.wrong += [f"{page.url} ({who}): {error}" for error in found]


@pytest.mark.parametrize(
    ("size", "scheme", "language"), [("phone", "dark", "zh-CN"), ("desk", "light", "en")]
)
def test_no_page_has_an_accessibility_error(browser, service, community, size, scheme, language):
    width, height = SIZES[size]
    wrong = []
    for who, shown in paths(community).items():
        context = browser.new_context(
            base_url=service.address,
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            locale=language,
        )
        page = context.new_page()
        page.route("https://example.org/**", lambda route: route.abort())
        looker = Looker(page, f"{size}-{scheme}-{language}-{who}")
        if who != "nobody":
            page.goto("/login")
            log_in_by_names(page, who)
        for path in shown:
            page.goto(path)
            looker.look(who)
        if who == "nobody":
            _provoke_errors_of_guests(page, looker)
        if who == "dora":
            _provoke_errors(page, looker, community)
        wrong += looker.wrong
        context.close()
    assert wrong == [], "\n".join(wrong)


def _provoke_errors_of_guests(page: Page, looker: Looker) -> None:
    """Look at the forms of the log-in and of the sign-up with errors."""
    page.goto("/login")
    log_in_by_names(page, "nobody", "wrong")
    looker.look("wrong password")
    page.goto("/signup")
    for name, text in (("login", "x!"), ("email", "x@example.org"), ("password", "password1")):
        page.locator(f"main [name={name}]").fill(text)
    follow(page.locator("main .actions button"))
    looker.look("wrong sign-up")


def _provoke_errors(page: Page, looker: Looker, community: Community) -> None:
    page.goto("/topics/new")
    page.locator("#title").fill("T" * 256)
    page.locator("#node_id").select_option(index=1)
    page.locator("#body").fill("Some **text** and `code`")
    follow(page.locator("main .actions button").first)
    looker.look("title too long")
    page.locator("#title").fill("A title")
    page.locator("button[name=preview]").click()
    expect(page.locator(".preview strong")).to_have_text("text")
    looker.look("preview")
    page.goto("/applications")
    page.locator("#name").fill("Unsafe")
    page.locator("#redirect_uris").fill("http://not-safe.example.org/")
    follow(page.locator("main form:has(#redirect_uris) .actions button"))
    looker.look("unsafe application")
    page.goto("/settings")
    page.locator("#tagline").fill("x" * 120)
    follow(page.locator("main .actions button"))
    looker.look("tagline too long")
    page.goto(f"/topics/{community.rich}/replies")
    page.locator("#body").fill(" ")
    follow(page.locator("main .actions button").first)
    looker.look("reply empty")
