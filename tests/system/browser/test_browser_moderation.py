"""One reports, one wrote it, one decides; on a phone and a desk, with scripts and without."""

import re

import pytest
from playwright.sync_api import expect
from sqlalchemy import update

from forumsvc.models import User

from .people import follow, log_in_by_names
from .test_browser_story import SIZES, SUBMIT, Person


@pytest.mark.parametrize(
    ("language", "has_scripts", "size"), [("en", False, "phone"), ("zh-CN", True, "desk")]
)
def test_a_topic_is_reported_judged_and_everybody_is_told(
    browser, service, language, has_scripts, size
):
    options = {
        "locale": language,
        "java_script_enabled": has_scripts,
        "viewport": SIZES[size],
    }
    names = [f"{role}{size}" for role in ("author", "reader", "chief")]
    people = [Person(browser, service, name, **options) for name in names]
    author, reader, chief = people
    ids = [service.person(person.login) for person in people]
    with service.database.session.begin() as db:
        db.execute(update(User).where(User.id == ids[2]).values(role="maintainer"))
    service.node(f"Boats {size}")

    page = author.page
    page.goto("/topics/new")
    log_in_by_names(page, author.login)
    page.locator("#title").fill("Buy my boats")
    page.locator("#node_id").select_option(label=f"Boats {size}")
    page.locator("#body").fill("Cheap **boats** here")
    page.locator(SUBMIT).click()
    page.wait_for_url(re.compile(r"/topics/\d+"))
    topic = page.url
    expect(page.locator(f"a[href$='{topic.rpartition('/')[2]}/report']")).to_have_count(0)

    page = reader.page
    page.goto("/login")
    log_in_by_names(page, reader.login)
    page.goto(topic)
    page.locator("#topic .more summary").click()
    page.locator("#topic a[href$='/report']").click()
    page.locator("input[value=spam]").check()
    page.locator("#comment").fill("The third time today")
    follow(page.locator(SUBMIT))
    expect(page.locator(".notice")).to_be_visible()

    page = chief.page
    page.goto("/login")
    log_in_by_names(page, chief.login)
    page.goto("/moderation")
    page.get_by_role("link", name="Buy my boats").first.click()
    expect(page.locator(".forum-content strong")).to_have_text("boats")
    page.locator("input[value=hide]").check()
    page.locator("#silence_days").fill("3")
    page.locator("#reason").fill("Advertising")
    follow(page.locator(SUBMIT))
    expect(page.get_by_role("link", name="Buy my boats")).to_have_count(0)
    page.goto("/moderation/log")
    hidden = {"en": "The topic is hidden", "zh-CN": "话题被隐藏"}[language]
    expect(page.locator("main")).to_contain_text(hidden)
    page.goto(f"/moderation/users/{author.login}")

    page = author.page
    page.goto("/notifications")
    expect(page.locator("article.unread")).to_have_count(2)
    expect(page.locator("main")).to_contain_text("Advertising")
    page.goto(f"/{author.login}")
    expect(page.locator(".problem")).to_contain_text("Advertising")

    page = reader.page
    page.goto("/notifications")
    expect(page.locator("article.unread")).to_have_count(1)
    response = page.goto(topic)
    assert response is not None
    assert response.status == 404
    for person in people:
        person.context.close()
