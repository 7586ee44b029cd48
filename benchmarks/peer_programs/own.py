"""forumsvc itself: its pages, its pages without those that it keeps in memory, and its API."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar
from urllib.parse import urljoin

from benchmarks.fill import Size
from benchmarks.members import Login, fill
from benchmarks.peer_programs.browser import Browser, form_with
from benchmarks.peer_programs.peer import TOPIC, Compose, Filled, Peer, Place
from benchmarks.request import API, Request, ask_json, form, get, send
from benchmarks.servers import environment, forum_settings, forumsvc, write_ini

_WORKER = ("worker = false", "worker = true")


def make_community(folder: Path, database: str, size: Size) -> Login:
    """Fill the database and index it for the search; return how its members log in."""
    ini = write_ini(folder, "filling", forum_settings(folder, database))
    login = fill(ini, size)
    forumsvc(ini, "search", "reindex")
    return login


class Pages(Peer):
    """Its pages, as guests and members see them.

    settings: what differs from production.
    """

    key, name, package = "forumsvc", "forumsvc, pages", "forumsvc"
    posts = "replies"
    settings: ClassVar[dict[str, str]] = {}

    def __init__(self, login: Login) -> None:
        self.login = login

    def fill(self, place: Place) -> Filled:
        def paths(ids: Sequence[int], rest: str = "") -> list[str]:
            return [f"/topics/{topic}{rest}" for topic in ids]

        found = place.community
        return Filled("/topics", paths(found.read), paths(found.written, "/replies"))

    def command(self, place: Place, port: int, processes: int) -> list[str]:
        # Everything comes from one address, which may search as often, and as much at once.
        limits = {"rate_limit.searches": "off", "search.at_once": "8"}
        settings = {**forum_settings(place.folder, place.database), **limits, **self.settings}
        ini = write_ini(place.folder, self.key, settings, processes=processes)
        text = ini.read_text().replace(*_WORKER).replace("127.0.0.1:0", f"127.0.0.1:{port}")
        ini.write_text(text)
        return [str(place.python), "-m", "pyramid.scripts.pserve", str(ini)]

    def environment(self, place: Place) -> dict[str, str]:
        return environment()

    def search(self, word: str) -> str:
        return f"/search?q={word}"

    def log_in(self, browser: Browser, name: str) -> None:
        action, fields = form_with(browser.get("/login"), "username")
        fields |= {"username": name, "password": self.login["password"]}
        browser.post(urljoin("/login", action), fields)

    def compose(self, browser: Browser, topic: str) -> Compose:
        action, fields = form_with(browser.get(topic), "body")

        def request(text: str) -> Request:
            # A form is taken once; each time that it is loaded it has another key.
            values = {**fields, "body": text, "form_key": secrets.token_urlsafe(24)}
            return browser.form_request(urljoin(topic, action), values)

        return request


class PagesMadeAnew(Pages):
    """Its pages without the page cache."""

    key, name = "forumsvc-anew", "forumsvc, pages made anew"
    settings: ClassVar[dict[str, str]] = {"cache.pages_mb": "0"}


class Api(Pages):
    """Its API: a topic with replies are two calls."""

    key, name = "forumsvc-api", "forumsvc, API"
    calls: ClassVar[dict[str, int]] = {TOPIC: 2}

    def fill(self, place: Place) -> Filled:
        def paths(ids: Sequence[int]) -> list[str]:
            return [f"{API}/topics/{topic}" for topic in ids]

        found = place.community
        return Filled(f"{API}/topics", paths(found.read), paths(found.written))

    def requests(
        self, endpoint: str, filled: Filled, words: Sequence[str], member: Browser
    ) -> Sequence[Request]:
        if endpoint != TOPIC:
            return super().requests(endpoint, filled, words, member)
        return [get(path + rest) for path in filled.topics for rest in ("", "/replies")]

    def search(self, word: str) -> str:
        return f"{API}/search/topics?q={word}"

    def log_in(self, browser: Browser, name: str) -> None:
        answer = ask_json(browser.port, form("/oauth/token", {**self.login, "username": name}))
        browser.cookies["token"] = answer["access_token"]

    def compose(self, browser: Browser, topic: str) -> Compose:
        token = browser.cookies["token"]
        return lambda text: send("POST", f"{topic}/replies", token, {"body": text})


OWN = (Pages, PagesMadeAnew, Api)
