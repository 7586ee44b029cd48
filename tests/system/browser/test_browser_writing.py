"""What the script of the writing pages adds: pictures, logins after @, Ctrl+Enter, a question."""

import re
from io import BytesIO

from PIL import Image
from playwright.sync_api import FilePayload, Page, expect

from .people import log_in_by_names
from .service import Service


def picture(name: str, color: str) -> FilePayload:
    """Return a file that a person chooses."""
    file = BytesIO()
    Image.new("RGB", (64, 40), color).save(file, "PNG")
    return {"name": name, "mimeType": "image/png", "buffer": file.getvalue()}


def test_a_text_is_written_with_pictures_and_people_and_sent_by_the_keyboard(
    page: Page, service: Service
) -> None:
    service.person("writer")
    service.person("zebedee")
    service.node("Writing")
    page.goto("/topics/new")
    log_in_by_names(page, "writer")
    page.wait_for_load_state()  # the script runs when the page is there
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
    body.press("Enter")
    expect(body).to_have_value(re.compile("Ask @zebedee $"))
    with page.expect_event("dialog") as asked:
        page.once("dialog", lambda dialog: dialog.dismiss())
        page.locator("header .site").click(no_wait_after=True)
    assert asked.value.type == "beforeunload", "leaving asks first"
    body.press("Control+Enter")
    expect(page.locator("#topic .user-mention")).to_have_text("@zebedee")


def test_a_picture_that_is_refused_is_told_and_leaves_no_mark(page: Page, service: Service) -> None:
    service.person("painter")
    service.node("Painting")
    page.goto("/topics/new")
    log_in_by_names(page, "painter")
    page.wait_for_load_state()  # the script runs when the page is there
    page.locator("#body").fill("Text")
    broken: FilePayload = {"name": "x.png", "mimeType": "image/png", "buffer": b"no picture"}
    page.locator("#picture").set_input_files(broken)
    expect(page.locator("#picture-problem")).to_contain_text("not a PNG")
    assert page.locator("#body").input_value().strip() == "Text"
