"""Askbot, questions and answers on Django: a topic is a question, a reply is an answer."""

from collections.abc import Sequence
from typing import ClassVar

from benchmarks.peer_programs.browser import Browser
from benchmarks.peer_programs.django_peer import DjangoPeer
from benchmarks.peer_programs.peer import TOPIC, Compose, Filled, Place
from benchmarks.request import Request

_SITE = "askroot"


class Askbot(DjangoPeer):
    """Its own command makes the project. It shows ten answers a page, so twenty are two pages."""

    key, name, package = "askbot", "Askbot", "askbot"
    posts = "askbot_post"
    needs_redis = True
    calls: ClassVar[dict[str, int]] = {TOPIC: 2}
    manage: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("migrate", "--verbosity", "0"),
        ("collectstatic", "--no-input", "--verbosity", "0"),
    )
    text = "text"

    def compose(self, browser: Browser, topic: str) -> Compose:
        """Load the page, whose form a script completes."""
        browser.get(topic)
        path = f"/s/questions/{topic.split('/')[2]}/answer/"
        token = browser.cookies["_csrf"]
        return lambda text: browser.form_request(path, {"csrfmiddlewaretoken": token, "text": text})

    def environment(self, place: Place) -> dict[str, str]:
        found = super().environment(place)
        return {**found, "PYTHONPATH": f"{place.folder / _SITE}:{found['PYTHONPATH']}"}

    def fill(self, place: Place) -> Filled:
        options = {
            "root-directory": _SITE,
            "proj-name": "askbot_site",
            "db-engine": "postgresql",
            "db-name": "askbot",
            "db-user": "askbot",
            "db-password": "askbot",
            "domain-name": "example.org",
            "admin-name": "admin",
            "admin-email": "admin@example.org",
            "language-code": "en",
            "timezone": "UTC",
            "log-file-path": "askbot.log",
        }
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        program = str(place.python.with_name("askbot-setup"))
        self.run_program(place, program, "--force", "--noinput", *words)
        filled = super().fill(place)
        self._sessions = filled.sessions
        return filled

    def log_in(self, browser: Browser, name: str) -> None:
        browser.cookies["sessionid"] = self._sessions[name]

    def search(self, word: str) -> str:
        return f"/questions/scope:all/sort:relevance-desc/page:1/query:{word}/"

    def requests(
        self, endpoint: str, filled: Filled, words: Sequence[str], member: Browser
    ) -> Sequence[Request]:
        if endpoint != TOPIC:
            return super().requests(endpoint, filled, words, member)
        return [Request("GET", path + page) for path in filled.topics for page in ("", "?page=2")]
