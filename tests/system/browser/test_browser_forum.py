"""The forum's pages in a browser: with scripts, by the keyboard alone, and enlarged."""

from datetime import timedelta

from playwright.sync_api import Route, ViewportSize, expect
from sqlalchemy import insert

from forumsvc import clock
from forumsvc.models import Topic
from forumsvc.services.posts import nodes

from .people import log_in
from .service import PASSWORD, Service

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
FOCUSED = """(() => { const one = document.activeElement;
  return (one.labels?.[0] ?? one).textContent.trim() })()"""
DRAWN = """Promise.race([new Promise(requestAnimationFrame),
  new Promise(done => setTimeout(done, 300))])"""
"""Waits until the page is drawn, but not for long: it may have to wait for a script."""
SHIFT = """new Promise(done => new PerformanceObserver(list =>
  done(list.getEntries().reduce((sum, one) => sum + one.value, 0))
).observe({type: 'layout-shift', buffered: true}) || setTimeout(done, 500, 0))"""
"""How far the content moved while the page was loaded (web.dev/articles/cls)."""


def _thread(service: Service, name: str) -> str:
    """Add a topic of a user and return its path."""
    user = service.person(name)
    with service.database.session.begin() as db:
        node_id = nodes.create(db, None, clock.now(), f"Node of {name}")
        values = {"user_id": user, "node_id": node_id, "title": "Sails", "body": "Text"}
        past = clock.now() - timedelta(hours=3)
        times = dict.fromkeys(("created_at", "updated_at", "last_active_at"), past)
        added = (
            insert(Topic)
            .values(**values, **times, body_html="<p>Text</p>", markup_version=1)
            .returning(Topic.id)
        )
        return f"/topics/{db.execute(added).scalar_one()}"


def test_with_scripts_a_button_needs_no_reload_and_times_are_in_words(browser, service):
    path = _thread(service, "scripted")
    service.person("presser")
    context = browser.new_context(base_url=service.address)
    page = context.new_page()
    page.goto(f"/login?next={path}")
    log_in(page, "presser")
    expect(page.locator("article time").first).to_have_text("3 hours ago")
    page.evaluate("window.stays = true")
    page.get_by_role("button", name="Like").click()
    liked = page.get_by_role("button", name="Unlike")
    expect(liked).to_be_focused()
    expect(liked).to_contain_text("1")
    expect(page.get_by_role("status")).to_have_text("Liked, 1")
    expect(page.locator("article time").first).to_have_text("3 hours ago")
    assert page.evaluate("window.stays") is True
    context.close()


def test_the_menu_of_the_account_closes_by_escape_and_beside_it(page, service):
    path = _thread(service, "keyed")
    page.goto(f"/login?next={path}")
    log_in(page, "keyed")
    menu, button = page.locator("#menu"), page.locator("header .menu")
    expect(menu).to_be_hidden()
    for close in (lambda: page.keyboard.press("Escape"), lambda: page.mouse.click(5, 500)):
        button.click()
        expect(menu).to_be_visible()
        edges = [one.bounding_box() for one in (menu, button)]
        assert abs(sum(edges[0][key] - edges[1][key] for key in ("x", "width"))) < 8
        close()
        expect(menu).to_be_hidden()


def test_nothing_moves_when_times_become_words(browser, service):
    for name in ("mover", "shaker", "drifter"):
        _thread(service, name)
    phone = ViewportSize(width=390, height=844)
    with browser.new_context(base_url=service.address, viewport=phone) as context:
        page = context.new_page()

        def come_late(route: Route) -> None:
            page.locator("footer").wait_for(state="attached")
            page.evaluate(DRAWN)
            route.continue_()

        page.route("**/forum.js*", come_late)
        page.goto("/")
        expect(page.locator(".topics time").first).to_have_text("3 hours ago")
        assert page.evaluate(SHIFT) < 0.01


def test_a_topic_is_answered_and_liked_by_the_keyboard_alone(browser, service):
    path = _thread(service, "quiet")
    service.person("typist")
    context = browser.new_context(base_url=service.address)
    page = context.new_page()

    def tab_to(name: str) -> None:
        """Press Tab until an element with that text or label has the focus."""
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate(FOCUSED) == name:
                return
        raise AssertionError(f"Tab does not lead to {name}")

    page.goto(path)
    tab_to("Skip to the content")
    page.keyboard.press("Enter")
    tab_to("Log in to reply")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Login or email")).to_be_focused()
    page.keyboard.type("typist")
    tab_to("Password")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{service.address}{path}")
    page.wait_for_load_state()  # the script of the button runs when the page is loaded
    tab_to("Like")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Unlike")).to_be_focused()
    tab_to("Your reply")
    page.keyboard.type("By hand")
    tab_to("Reply")
    page.keyboard.press("Enter")
    expect(page.locator("article.reply")).to_contain_text("By hand")
    context.close()


def test_at_200_percent_a_desk_shows_every_page_without_a_sideways_scroll(browser, service):
    path = _thread(service, "zoomed")
    # A browser at 200 % has half of the screen's pixels.
    size = ViewportSize(width=640, height=400)
    context = browser.new_context(base_url=service.address, viewport=size, device_scale_factor=2)
    page = context.new_page()
    for address in ("/", path, "/zoomed", "/search?q=x", "/login", "/signup", "/docs/guide"):
        page.goto(address)
        assert page.evaluate(OVERFLOW) <= 0, address
    context.close()
