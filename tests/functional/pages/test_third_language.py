"""Pages in a language that was not there: each text comes from the catalogue, right to left."""

import re
from pathlib import Path

import pytest

from forumsvc.pages import display
from forumsvc.web.pipeline.session_cookie import site_cookie_name
from tests import third_language
from tests.functional.forum import Forum

from .community import Community, settle
from .visitor import Visitor, with_password

_OF_USERS = "[dir=auto], bdi, .forum-content, pre, code, time, textarea, option"
_WORD = re.compile(r"[A-Za-z]{3,}")
_NAMES = {
    *("ann", "bob", "carl", "root", "keeper", "Harbour", "Forum", "Markdown", "UTC", "PNG"),
    *("Boats", "Weather", "JPEG", "GIF", "ZIP", "API", "English"),
}


def latin_words(browser: Visitor, path: str) -> set[str]:
    """Return the words of a page in Latin letters that no user wrote."""
    page = browser.get(path)
    assert page.status_int < 500, path
    assert (page.html.html["lang"], page.html.html["dir"]) == (third_language.LANGUAGE, "rtl")
    for written in page.html.select(_OF_USERS):
        written.decompose()
    body = page.html.body
    shown = [*body.stripped_strings, *(one["aria-label"] for one in body.select("[aria-label]"))]
    return {word for text in shown for word in _WORD.findall(text)} - _NAMES


def paths(here: Community) -> dict[str, list[str]]:
    """Return the paths to look at, by who looks."""
    rich = here.rich
    return {
        "": [
            *("/", "/topics/popular", f"/topics/node{here.node}", f"/topics/{rich}", "/bob"),
            *("/search?q=boats", "/search?q=zzz", "/login", "/signup", "/password/forgotten"),
            *("/moderators", f"/topics/{here.deleted}", "/nothing/here"),
        ],
        "ann": [
            *("/notifications", "/notifications/delete", "/settings", "/settings/email"),
            *("/settings/sessions", "/settings/blocked", "/settings/notifications", "/password"),
            *("/settings/photos", "/settings/data", "/applications", "/topics/new", "/held"),
            *(f"/topics/{rich}/report", f"/held/{here.held}"),
        ],
        "keeper": [
            *(f"/topics/{rich}", f"/topics/{rich}/edit", f"/topics/{rich}/delete"),
            *("/moderation", "/moderation/resolved", "/moderation/log", "/moderation/users/carl"),
            *(f"/moderation/reviews/{here.review}", f"/moderation/reviews/{here.held_review}"),
        ],
    }


def test_no_text_of_a_page_is_left_in_english(
    forum: Forum, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    third_language.install(monkeypatch, forum.registry, tmp_path)
    here = settle(forum, with_password(forum), with_password(forum, "keeper"))
    wrong: dict[tuple[str, str], set[str]] = {}
    for login, shown in paths(here).items():
        browser = Visitor(forum)
        browser.app.set_cookie(
            site_cookie_name("http://localhost", display.COOKIE), third_language.CHOSEN
        )
        if login:
            browser.log_in(login)
        wrong |= {(login, path): words for path in shown if (words := latin_words(browser, path))}
    assert not wrong
