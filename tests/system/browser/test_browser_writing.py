"""What the script of the writing pages adds: pictures, logins after @, Ctrl+Enter, a question."""

import re
from io import BytesIO

from PIL import Image
from playwright.sync_api import FilePayload, Page, expect

from .people import follow, log_in_by_names
from .service import Service

DIRECTION = "one => getComputedStyle(one).direction"


def picture(name: str, color: str) -> FilePayload:
    file = BytesIO()
    Image.new("RGB", (64, 40), color).save(file, "PNG")
    return {"name": name, "mimeType": "image/png", "buffer": file.getvalue()}


def test_a_text_is_written_with_pictures_and_people_and_sent_by_the_keyboard(page, service):
    service.person("writer")
    service.person("zebedee")
    service.node("Writing")
    page.goto("/topics/new")
    log_in_by_names(page, "writer")
    page.locator("#title").fill("Written")
    page.locator("#node_id").select_option(label="Writing")
    body = page.locator("#body")
    body.fill("Look: ")
    # Sent while they are uploaded: the form waits for them.
    pictures = [picture("red [1].png", "red"), picture("blue.png", "blue")]
    page.locator("#picture").set_input_files(pictures)
    page.locator("button[name=preview]").click()
    expect(page.locator(".preview img[src*='/photos/']")).to_have_count(2)
    expect(page.locator(".preview img").nth(1)).to_have_attribute("alt", "blue")
    page.wait_for_load_state()
    body.press("Control+End")
    body.press_sequentially("Ask @zeb")
    expect(page.locator("#people-list [role=option]")).to_have_text(["zebedee"])
    expect(page.get_by_role("combobox", name="Text", expanded=True)).to_be_focused()
    body.press("Enter")
    expect(body).to_have_value(re.compile("Ask @zebedee $"))
    page.context.set_offline(True)
    with page.expect_event("dialog") as asked:
        page.once("dialog", lambda dialog: dialog.dismiss())
        page.locator("header .site").click(no_wait_after=True)
    assert asked.value.type == "beforeunload", "leaving asks first where nothing saves the text"
    page.context.set_offline(False)
    body.press("Control+Enter")
    expect(page.locator("#topic .user-mention")).to_have_text("@zebedee")


def test_a_picture_that_is_refused_is_told_and_leaves_no_mark(page, service):
    service.person("painter")
    service.node("Painting")
    page.goto("/topics/new")
    log_in_by_names(page, "painter")
    page.locator("#body").fill("Text")
    broken: FilePayload = {"name": "x.png", "mimeType": "image/png", "buffer": b"no picture"}
    told = page.locator("details > #picture-problem")
    page.locator("summary", has_text="Add a picture").click()
    page.locator("#picture").set_input_files(broken)
    expect(told).to_contain_text("Not a PNG")
    page.locator("#picture").set_input_files(picture("fine.png", "red"))
    expect(told).to_have_count(0)
    expect(page.locator("#body")).to_have_value(re.compile(r"fine\]\(.+/photos/"))
    page.locator("#body").fill("Text")
    other: FilePayload = {"name": "x.txt", "mimeType": "text/plain", "buffer": b"no picture"}
    page.locator("#picture").set_input_files(other)
    expect(told).to_contain_text("Not a PNG")
    assert page.locator("#body").input_value().strip() == "Text"


def test_back_to_a_form_has_what_was_not_sent_and_not_what_was(page, service):
    service.person("returner")
    service.node("Returning")
    page.goto("/topics/new")
    log_in_by_names(page, "returner")
    page.locator("#title").fill("Kept title")
    follow(page.locator("header .site"))
    page.goto("/topics/new")
    expect(page.locator("#title")).to_have_value("Kept title")
    page.locator("#node_id").select_option(label="Returning")
    page.locator("#body").fill("The text")
    page.locator("button[name=preview]").click()
    expect(page.locator(".preview")).to_have_count(1)
    follow(page.locator("header .site"))
    page.go_back()
    for name, value in (("title", "Kept title"), ("body", "The text")):
        expect(page.locator(f"#{name}")).to_have_value(value)
    follow(page.locator("main .actions button").first)
    expect(page.locator("#topic")).to_contain_text("The text")

    page.locator("#body").fill("A reply")
    follow(page.locator("#reply .actions button").first)
    expect(page.locator("article.reply")).to_have_count(1)
    page.go_back()
    page.wait_for_load_state()
    expect(page.locator("#body")).to_have_value("")
    page.on("dialog", lambda dialog: dialog.dismiss())  # a question would keep the page
    page.locator("header .site").click()
    expect(page).to_have_url(f"{service.address}/")


def write_topic(page: Page, service: Service, login: str, body: str) -> None:
    """Log in as a new member, write a topic in a new node, and wait for its page."""
    service.person(login)
    service.node(login.title())
    page.goto("/topics/new")
    log_in_by_names(page, login)
    page.locator("#title").fill("Words")
    page.locator("#node_id").select_option(label=login.title())
    page.locator("#body").fill(body)
    follow(page.locator("main .actions button").first)


_SIDE = """block => {
  const text = document.createRange();
  text.selectNodeContents(block);
  const [inner, outer] = [text.getBoundingClientRect(), block.getBoundingClientRect()];
  return inner.left - outer.left < outer.right - inner.right ? "left" : "right";
}"""
"""At which side of a block its text stands."""


def test_code_in_an_arabic_text_runs_from_left_to_right(page, service):
    write_topic(
        page,
        service,
        "coder",
        "\u0645\u0631\u062d\u0628\u0627 `x > 0!`\n\n```\nif x > 0 and (y < 3):\n```\n",
    )
    code = page.locator("#topic .forum-content").locator("pre, code")
    assert page.locator("#topic .forum-content p").first.evaluate(DIRECTION) == "rtl"
    assert [one.evaluate(DIRECTION) for one in code.all()] == ["ltr"] * code.count()
    assert code.count() >= 2
    assert page.locator("#topic pre").evaluate("one => getComputedStyle(one).textAlign") == "left"


def test_each_block_of_a_text_runs_in_its_own_direction(page, service):
    arabic = "\u0645\u0631\u062d\u0628\u0627"
    body = f'{arabic}\n\nHello\n\n- {arabic}\n- Hi\n\n<p dir="rtl">Ho</p>'
    write_topic(page, service, "bilingual", body)
    blocks = page.locator("#topic .forum-content").locator("p, li").all()
    assert [one.evaluate(_SIDE) for one in blocks] == ["right", "left", "right", "right", "right"]
    # Its marks are where the first line of a list begins.
    assert page.locator("#topic .forum-content ul").evaluate(DIRECTION) == "rtl"
