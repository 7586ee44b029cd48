"""Misago, a forum on Django with pages in React."""

from benchmarks.peer_programs.browser import Browser
from benchmarks.peer_programs.community import PASSWORD
from benchmarks.peer_programs.django_peer import DjangoPeer
from benchmarks.peer_programs.peer import Compose, Place


class Misago(DjangoPeer):
    """Its search page is a script that asks the API, so the API is asked."""

    key, name, package = "misago", "Misago", "misago"
    posts = "misago_threads_post"
    needs_redis = True
    manage = (
        ("migrate", "--verbosity", "0"),
        ("collectstatic", "--no-input", "--verbosity", "0"),
    )

    def beside(self, place: Place) -> list[list[str]]:
        celery = ["-m", "celery", "-A", "devproject", "worker", "--loglevel", "error"]
        return [[str(place.python), *celery]]

    def search(self, word: str) -> str:
        return f"/api/search/?q={word}"

    def log_in(self, browser: Browser, name: str) -> None:
        browser.get("/")
        fields = {"username": name, "password": PASSWORD}
        browser.post("/api/auth/", fields, self._token(browser))

    def compose(self, browser: Browser, topic: str) -> Compose:
        token = self._token(browser)
        return lambda text: browser.form_request(topic, {"post": text}, token)

    def _token(self, browser: Browser) -> dict[str, str]:
        return {"X-CSRFToken": browser.cookies["csrftoken"]}
