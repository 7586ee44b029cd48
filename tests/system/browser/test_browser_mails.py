"""The HTML of emails as three programs draw it: on a phone nothing is beside it, and all is inert.

Beside Chromium: Blitz, which has the styles of Firefox, and litehtml, which draws emails in Claws
Mail and knows no `overflow-wrap`. These two draw on a wide canvas, of which emails get a part.
"""

import platform
from collections.abc import Callable

import blitz_py
import pytest

from forumsvc.mail import notification_text
from forumsvc.mail.notification_text import Entry
from forumsvc.models import MailTopic
from forumsvc.text.languages import LANGUAGES

PHONE, SIDE = 390, 605
CANVAS = PHONE + 2 * SIDE
INK = 200
"""What is darker is no background."""
SITE = "https://forum.example.org"
WORD = "Donaudampfschifffahrtsgesellschaftskapitän" * 4
CODE = "    if name.startswith(" + "very_long_name." * 20 + "):\n" + "=" * 150
HOSTILE = '<script>document.title = "run"</script><img src=//evil.example/x onerror=alert(1)>&amp;'
TAGS = {"a", "bdi", "blockquote", "body", "head", "hr", "html", "li", "meta", "p", "strong"}
TAGS |= {"title", "ul", "wbr"}
NAMES = {"title": WORD, "site_name": HOSTILE, "login": "a_" * 40}
LINKS = {
    "link": f"{SITE}/topics/1",
    "stop": f"{SITE}/mail/unsubscribe?about=reply&token={'0123456789abcdef' * 8}",
    "settings": f"{SITE}/settings/mail",
}


def entry(about: MailTopic, text: str, actor: str = "bob", title: str = "") -> Entry:
    words = "Closed:" if about == MailTopic.MODERATION else ""
    return Entry(about, actor, text, f"{SITE}/replies/{'1' * 18}", words, title)


TEXTS = [WORD, CODE, HOSTILE, "标题很长" * 60, "طويل_جدا_" * 40]
KINDS = {
    "mention": [entry(MailTopic.MENTION, text) for text in TEXTS],
    "reply": [entry(MailTopic.REPLY, text, actor=text[:90]) for text in TEXTS],
    "follow": [entry(MailTopic.FOLLOW, text) for text in TEXTS],
    "moderation": [entry(MailTopic.MODERATION, text, title=text[:255]) for text in TEXTS],
    "digest": [entry(MailTopic.REPLY, "", title=text[:255]) for text in TEXTS],
}


def html_of(kind: str, language: str) -> str:
    is_digest = kind == "digest"
    topics = KINDS[kind] if is_digest else []
    return notification_text.render(
        *("digest" if is_digest else "notifications", language, KINDS[kind]),
        names=NAMES,
        links=LINKS,
        topics=topics,
        more=3,
    ).html


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_in_chromium_no_email_is_wider_than_a_phone_and_none_acts(browser, kind, language):
    with browser.new_context(viewport={"width": PHONE, "height": 800}) as context:
        page, asked = context.new_page(), []
        page.on("request", lambda request: asked.append(request.url))
        page.set_content(html_of(kind, language))
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE
        # What is too far to the left in a text from right to left counts as well.
        lefts = "[...document.querySelectorAll('*')].map(one => one.getBoundingClientRect().left)"
        assert min(page.evaluate(lefts)) >= 0
        tags = "[...document.querySelectorAll('*')].map(one => one.localName)"
        assert set(page.evaluate(tags)) <= TAGS
        names = "[...document.querySelectorAll('*')].flatMap(one => one.getAttributeNames())"
        assert not [name for name in page.evaluate(names) if name.startswith("on")]
        assert page.title() != "run"
        assert asked == []


def by_blitz(html: str) -> tuple[int, bytes]:
    """Draw HTML; return the width of the picture and its pixels, four bytes each."""
    width, _, pixels = blitz_py.render_rgba(html, width=CANVAS)
    return width, pixels


def by_litehtml(html: str) -> tuple[int, bytes]:
    """As `by_blitz`."""
    if platform.machine() != "x86_64":
        pytest.skip("there is no wheel of litehtml")
    import pylitehtml

    drawn = pylitehtml.Renderer(width=CANVAS).render(html, fmt="raw")
    return drawn.width, bytes(drawn.data)


def ink_beside(drawn: tuple[int, bytes]) -> bool:
    """Return whether anything is drawn beside the middle of the canvas, which is a phone's."""
    width, pixels = drawn
    left, right = slice(0, 4 * SIDE), slice(4 * (SIDE + PHONE), None)
    rows = (pixels[at : at + 4 * width] for at in range(0, len(pixels), 4 * width))
    return any(min(row[left] + row[right], default=255) < INK for row in rows)


def on_a_phone(html: str) -> str:
    return html.replace('<body style="', f'<body style="margin: 8px {SIDE + 8}px; ')


DRAWN_BY = pytest.mark.parametrize("draw", [by_blitz, by_litehtml])


@DRAWN_BY
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_two_other_programs_draw_each_email_within_a_phone(
    draw: Callable[[str], tuple[int, bytes]], kind, language
):
    assert not ink_beside(draw(on_a_phone(html_of(kind, language))))


@DRAWN_BY
@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_a_word_that_is_too_long_would_be_seen(draw, direction):
    html = f'<!DOCTYPE html><html dir="{direction}"><body style=""><p>{WORD}</p></body></html>'
    assert ink_beside(draw(on_a_phone(html)))
