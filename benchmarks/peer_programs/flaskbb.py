"""FlaskBB, a forum on Flask."""

from collections.abc import Sequence
from urllib.parse import urljoin

from benchmarks.peer_programs.browser import Browser, form_with
from benchmarks.peer_programs.community import PASSWORD
from benchmarks.peer_programs.django_peer import INSIDE, gunicorn
from benchmarks.peer_programs.peer import SEARCH, Compose, Filled, Peer, Place
from benchmarks.request import Request
from benchmarks.servers import ROOT

CONFIG = ROOT / "benchmarks" / "peer_programs" / "inside" / "flaskbb_config.py"


class FlaskBB(Peer):
    """Its search is a form; texts are rendered when they are shown.

    Of version 3 the candidate, as version 2.2 needs Python 3.14.
    """

    key, name, package = "flaskbb", "FlaskBB", "flaskbb"
    posts = "posts"
    python = (3, 12)
    needs_redis = True

    def fill(self, place: Place) -> Filled:
        program = (str(place.python.with_name("flaskbb")), "--config", str(CONFIG))
        admin = ("-u", "owner", "-e", "owner@example.net", "-p", PASSWORD)
        self.run_program(place, *program, "install", "--force", *admin)
        found = self.run_inside(place, "flaskbb_fill")
        return Filled(**found)

    def command(self, place: Place, port: int, processes: int) -> list[str]:
        return gunicorn(place, f"{INSIDE}.flaskbb_wsgi:flaskbb", port, processes)

    def beside(self, place: Place) -> list[list[str]]:
        program = str(place.python.with_name("flaskbb"))
        return [[program, "--config", str(CONFIG), "celery", "worker", "--loglevel", "error"]]

    def search(self, word: str) -> str:
        return f"/search#{word}"

    def requests(
        self, endpoint: str, filled: Filled, words: Sequence[str], member: Browser
    ) -> Sequence[Request]:
        if endpoint != SEARCH:
            return super().requests(endpoint, filled, words, member)
        guest = Browser(member.port)
        _, fields = form_with(guest.get("/search"), "search_query")
        fields |= {"search_type": "forum", "content_type": "topic", "forum_id": "__None"}
        return [guest.form_request("/search", {**fields, "search_query": word}) for word in words]

    def log_in(self, browser: Browser, name: str) -> None:
        path = "/auth/login"
        action, fields = form_with(browser.get(path), "login")
        browser.post(urljoin(path, action), {**fields, "login": name, "password": PASSWORD})

    def compose(self, browser: Browser, topic: str) -> Compose:
        action, fields = form_with(browser.get(topic), "content")
        fields.pop("track_topic", None)
        path = urljoin(topic, action)
        return lambda text: browser.form_request(path, {**fields, "content": text})
