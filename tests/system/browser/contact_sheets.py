"""Makes contact sheets: `python -m tests.system.browser.contact_sheets FOLDER [NAME …]`.

A sheet shows one page in all languages, on one size of screen, in one theme, with scripts or
without: `topic-phone-light.png`, `topic-desk-dark-no-script.png`. NAME: only sheets with such a
name, in which `*` stands for anything.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatch
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page

from forumsvc.demo import load
from forumsvc.markup import Renderer
from forumsvc.process.passwords import hash_password
from forumsvc.text.languages import LANGUAGES
from tests.functional.forum import Forum
from tests.functional.fuzzing import served
from tests.functional.pages import awkward
from tests.functional.pages.community import settle

from .chromium import MISSING, find
from .conftest import forum_in
from .launching import launched
from .people import follow, log_in_by_names
from .service import PASSWORD

Theme = Literal["light", "dark"]
Act = Callable[[Page], None]
SIZES = {"phone": (390, 844), "desk": (1280, 800)}
THEMES: tuple[Theme, ...] = ("light", "dark")
MOST = {"phone": 1700, "desk": 800}
"""The height of what is shown of a long page: with it a sheet is still readable."""
_SETTINGS = {
    "site.name": "Harbour",
    "site.tagline": "People who write Python, and sail",
    "accounts.registration": "open",
    "docs.enabled": "true",
}


class Look(NamedTuple):
    """A page as somebody sees it. forum: which one; act: what they do there."""

    name: str
    who: str
    path: str
    act: Act | None = None
    forum: str = "full"


@contextmanager
def _forums(folder: Path) -> Iterator[tuple[dict[str, str], list[Look]]]:
    """Serve a forum that is full, the demo and one that is empty; yield addresses and looks."""
    with ExitStack() as stack:
        forums = {}
        for name in ("full", "demo", "empty"):
            (folder / name).mkdir()
            forums[name] = stack.enter_context(forum_in(folder / name, **_SETTINGS))
        hashed = hash_password(PASSWORD)
        load(forums["demo"].database, renderer=Renderer(workers=0), password_hash=hashed)
        admin = forums["empty"].person("admin", role="admin")
        forums["empty"].change(admin.id, password_hash=hashed)
        looks = _fill(forums["full"], hashed)
        yield (
            {
                name: stack.enter_context(served(forum.application))
                for name, forum in forums.items()
            },
            looks,
        )


def _fill(forum: Forum, hashed: str) -> list[Look]:
    """Fill a forum; return all looks, those that mark something as read at the end."""
    dora = forum.person("dora")
    keeper = forum.person("keeper")
    boss = forum.person("boss", role="admin", scope="read write admin")
    for person in (dora, keeper, boss):
        forum.change(person.id, password_hash=hashed)
    forum.change(
        dora.id, name="Dora Lindström", tagline="Sails at night", bio="Line one.\nLine two."
    )
    here = settle(forum, dora.id, keeper.id)
    odd = awkward.settle(forum, dora)
    bob = forum.person("bob2")
    for topic in (here.rich, odd.mixed):
        forum.reply(dora, topic, "I follow this")
        for number in range(4):
            forum.reply(bob, topic, f"@dora answer {number}")
    for number in range(120):
        forum.reply(bob if number % 3 else dora, odd.long, f"Reply {number}: see #{number + 1}")
    rich, mixed, long = (f"/topics/{one}" for one in (here.rich, odd.mixed, odd.long))
    return [
        Look("home", "", "/", forum="demo"),
        Look("list", "demo", "/", forum="demo"),
        Look("list-awkward", "dora", "/"),
        Look("unread", "dora", "/topics/unread"),
        Look("node", "dora", f"/topics/node{here.node}"),
        Look("letter", "", f"/topics/node{odd.node}"),
        Look("notifications", "dora", "/notifications"),
        Look("profile", "", "/dora"),
        Look("member", "dora", f"/{odd.login}"),
        Look("settings", "dora", "/settings"),
        Look("display", "dora", "/settings/display"),
        Look("log-ins", "dora", "/settings/sessions"),
        Look("search", "", "/search?q=python", forum="demo"),
        Look("no-search", "dora", "/search"),
        Look("no-match", "dora", "/search?q=by%3Anobody"),
        Look("log-in", "", "/login", _log_in_wrongly),
        Look("sign-up", "", "/signup"),
        Look("new-topic", "dora", "/topics/new", _send_empty),
        Look("reply", "dora", f"{rich}/replies?quote={here.reply}"),
        Look("report", "dora", f"{rich}/report"),
        Look("queue", "keeper", "/moderation"),
        Look("review", "keeper", f"/moderation/reviews/{here.review}"),
        Look("versions", "keeper", f"/topics/{here.edited}/versions"),
        Look("restrictions", "keeper", "/moderation/users/carl"),
        Look("log", "keeper", "/moderation/log"),
        Look("administration", "boss", "/settings/forum"),
        Look("site", "boss", "/settings/forum/site"),
        Look("roles", "boss", "/settings/forum/roles"),
        Look("new-node", "boss", "/settings/forum/nodes/new"),
        Look("404", "", "/nothing/here"),
        Look("410", "", f"/topics/{here.deleted}"),
        Look("403", "dora", "/moderation"),
        Look("about", "", "/about"),
        Look("docs", "", "/docs/guide"),
        Look("topic", "", rich),
        Look("topic-member", "dora", mixed),
        Look("topic-moderator", "keeper", rich),
        Look("topic-long", "dora", long),
        Look("topic-3", "dora", f"{long}?page=3"),
        Look("topic-demo", "demo", "/topics/1", forum="demo"),
        Look("empty", "", "/", forum="empty"),
        Look("first-steps", "admin", "/", forum="empty"),
    ]


def _log_in_wrongly(page: Page) -> None:
    log_in_by_names(page, "dora", "wrong password")


def _send_empty(page: Page) -> None:
    """Send the form of the page with nothing in it."""
    page.evaluate("document.querySelector('main form').noValidate = true")
    follow(page.locator("main .actions button").first)


def main(folder: Path, *names: str) -> None:
    """Write the sheets into the folder."""
    program = find()
    if program is None:
        sys.exit(MISSING)
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as temporary,
        _forums(Path(temporary)) as (addresses, looks),
        launched(program) as browser,
    ):
        states: dict[tuple[str, str], Any] = {}
        for look in looks:
            base = addresses[look.forum]
            if look.who and (base, look.who) not in states:
                states[base, look.who] = _logged_in(browser, base, look.who)
            state = states.get((base, look.who))
            for size, theme, script in product(SIZES, THEMES, (True, False)):
                name = f"{look.name}-{size}-{theme}{'' if script else '-no-script'}"
                if names and not any(fnmatch(name, one) for one in names):
                    continue
                pictures = []
                for language in LANGUAGES:
                    with _context(browser, base, size, theme, language, script, state) as context:
                        pictures.append(_picture(context.new_page(), look, MOST[size]))
                _sheet(pictures, is_row=size == "phone").save(folder / f"{name}.png")


def _logged_in(browser: Browser, base: str, who: str) -> Any:
    """Log somebody in, and return the cookies."""
    with browser.new_context(base_url=base) as context:
        page = context.new_page()
        page.goto("/login")
        log_in_by_names(page, who)
        return context.storage_state()


def _context(
    browser: Browser, base: str, size: str, theme: Theme, language: str, script: bool, state: Any
) -> BrowserContext:
    width, height = SIZES[size]
    return browser.new_context(
        base_url=base,
        viewport={"width": width, "height": height},
        color_scheme=theme,
        locale=language,
        java_script_enabled=script,
        storage_state=state,
    )


def _picture(page: Page, look: Look, most: int) -> Image.Image:
    """Return the beginning of a page."""
    page.route("https://example.org/**", lambda route: route.abort())
    page.goto(look.path)
    if look.act:
        look.act(page)
    data = page.screenshot(full_page=True)
    picture = Image.open(BytesIO(data)).convert("RGB")
    return picture.crop((0, 0, picture.width, min(picture.height, most)))


def _sheet(pictures: list[Image.Image], *, is_row: bool) -> Image.Image:
    """Return the pictures beside each other, or one below the other."""
    gap = 16
    width, height = (max(size) for size in zip(*(one.size for one in pictures), strict=True))
    steps = len(pictures)
    across, down = (steps, 1) if is_row else (1, steps)
    sheet = Image.new("RGB", (across * (width + gap) + gap, down * (height + gap) + gap), "#888")
    for at, picture in enumerate(pictures):
        left, top = (at, 0) if is_row else (0, at)
        sheet.paste(picture, (gap + left * (width + gap), gap + top * (height + gap)))
    return sheet


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
