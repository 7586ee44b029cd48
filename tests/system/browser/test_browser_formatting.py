"""The buttons that write Markdown, and the preview that follows a text."""

import re

from playwright.sync_api import Locator, Page, expect

from .people import follow, log_in_by_names
from .service import Service

CHOOSE = "(field, [start, end]) => { field.focus(); field.setSelectionRange(start, end); }"
CHOSEN = "field => field.value.slice(field.selectionStart, field.selectionEnd)"
# A text, in which what is chosen stands between « and »; a button; what it makes of it.
MARKED = [
    ("a «word» b", "Bold", "a **«word»** b"),
    ("a« word »b", "Bold", "a **«word»** b"),
    ("a **«word»** b", "Bold", "a «word» b"),
    ("a **«word»** b", "Emphasis", "a ***«word»*** b"),
    ("a ***«word»*** b", "Emphasis", "a **«word»** b"),
    ("a ***«word»*** b", "Bold", "a *«word»* b"),
    ("«»", "Bold", "**«»**"),
    ("是«好»的", "Bold", "是**«好»**的"),
    ("see «here»", "Link", "see [here](«https://»)"),
    ("see «https://example.org/a_b»", "Link", "see [«»](https://example.org/a_b)"),
    ("one\ntw«o\nthr»ee", "Quote", "one\n«> two\n> three»"),
    ("«> one\n> two»", "Quote", "«one\ntwo»"),
    ("a\n«»\nb", "List", "a\n- «»\nb"),
    ("« x »", "Code", " `«x»` "),
    ("«x = `1`»", "Code", "``«x = `1`»``"),
    ("«a\n```\nb»", "Code", "````\n«a\n```\nb»\n````"),
]


def begin(page: Page, service: Service, login: str) -> Locator:
    """Open the form of a new topic as a new member; return the field of its text."""
    service.person(login)
    service.node(login.title())
    page.goto("/topics/new")
    log_in_by_names(page, login)
    return page.locator("#body")


def choose(field: Locator, text: str) -> None:
    before, chosen, after = re.split("[«»]", text)
    field.fill(before + chosen + after)
    field.evaluate(CHOOSE, [len(before), len(before + chosen)])


def test_a_button_marks_what_is_chosen_or_takes_the_mark_away(page, service):
    field = begin(page, service, "formatter")
    for text, button, expected in MARKED:
        choose(field, text)
        page.get_by_role("button", name=button, exact=True).click()
        before, chosen, after = re.split("[«»]", expected)
        assert field.input_value() == before + chosen + after, (text, button)
        assert field.evaluate(CHOSEN) == chosen, (text, button)


def test_what_a_button_wrote_is_undone_by_the_keyboard_and_keys_do_the_same(page, service):
    field = begin(page, service, "undoer")
    choose(field, "a «word» b")
    field.press("Control+b")
    expect(field).to_have_value("a **word** b")
    field.press("Control+z")
    expect(field).to_have_value("a word b")
    choose(field, "a «word» b")
    field.press("Control+k")
    expect(field).to_have_value("a [word](https://) b")


def test_the_preview_follows_the_text_of_an_unfinished_form_until_it_is_closed(page, service):
    field = begin(page, service, "previewer")
    field.fill("**Strong** <script>x</script>")
    button, shown = page.get_by_role("button", name="Preview", exact=True), page.locator(".preview")
    button.click()
    expect(shown.locator("strong")).to_have_text("Strong")
    expect(shown.locator("script")).to_have_count(0)
    expect(page).to_have_url(re.compile("/topics/new$"))
    field.press("Control+End")
    field.press_sequentially(" and *more*")
    expect(shown.locator("em")).to_have_text("more")
    expect(field).to_be_focused()
    field.fill("x" * 100_001)
    expect(shown).to_contain_text("Text")
    expect(shown.locator("em")).to_have_count(0)
    button.click()
    expect(shown).to_have_count(0)


def test_a_preview_after_the_session_has_ended_keeps_the_text(page, service):
    field = begin(page, service, "leaver")
    field.fill("*First*")
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.locator(".preview em")).to_have_text("First")
    service.expire_sessions("leaver")
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        field.fill("*Second*")
    expect(page.locator(".preview em")).to_have_text("First")
    expect(field).to_have_value("*Second*")


def test_a_reply_is_previewed_below_its_topic_and_sent_once(page, service):
    field = begin(page, service, "replier")
    page.locator("#title").fill("Words")
    page.locator("#node_id").select_option(label="Replier")
    field.fill("Text")
    follow(page.locator("main .actions button").first)
    page.locator("#body").fill("I *agree*")
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.locator(".preview em")).to_have_text("agree")
    follow(page.locator("#reply .actions button").first)
    expect(page.locator("article.reply em")).to_have_text("agree")
    expect(page.locator("article.reply")).to_have_count(1)
