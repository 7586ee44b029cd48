"""What the peers that are Django projects have in common: manage.py, gunicorn and forms."""

from typing import ClassVar
from urllib.parse import urljoin

from benchmarks.peer_programs.browser import Browser, form_with
from benchmarks.peer_programs.community import PASSWORD
from benchmarks.peer_programs.peer import Compose, Filled, Peer, Place

INSIDE = "benchmarks.peer_programs.inside"
THREADS = 4
"""Of a gunicorn worker, where the documents of a peer name no number."""


def gunicorn(place: Place, application: str, port: int, processes: int) -> list[str]:
    """Return the command that serves a WSGI application by gunicorn."""
    return [
        *(str(place.python), "-m", "gunicorn", application, "--bind", f"127.0.0.1:{port}"),
        *("--workers", str(processes), "--threads", str(THREADS), "--log-level", "warning"),
    ]


class DjangoPeer(Peer):
    """A Django project.

    manage, manage_after: the commands of manage.py that its documents name for a new site, before
    and after it is filled; login_path: of the page with the form; login_field: what the form calls
    the member's name; text: what the form of a reply calls its text.
    """

    manage: ClassVar[tuple[tuple[str, ...], ...]] = (("migrate", "--verbosity", "0"),)
    manage_after: ClassVar[tuple[tuple[str, ...], ...]] = ()
    login_path: ClassVar[str]
    login_field: ClassVar[str] = "username"
    text: ClassVar[str]

    def environment(self, place: Place) -> dict[str, str]:
        settings = f"{INSIDE}.{self.key}_settings"
        return {**super().environment(place), "DJANGO_SETTINGS_MODULE": settings}

    def fill(self, place: Place) -> Filled:
        for words in self.manage:
            self.run(place, "-m", "django", *words)
        found = self.run_inside(place, f"{self.key}_fill")
        for words in self.manage_after:
            self.run(place, "-m", "django", *words)
        return Filled(**found)

    def command(self, place: Place, port: int, processes: int) -> list[str]:
        return gunicorn(place, f"{INSIDE}.wsgi", port, processes)

    def log_in(self, browser: Browser, name: str) -> None:
        action, fields = form_with(browser.get(self.login_path), "password")
        fields |= {self.login_field: name, "password": PASSWORD}
        browser.post(urljoin(self.login_path, action), fields)

    def compose(self, browser: Browser, topic: str) -> Compose:
        action, fields = form_with(browser.get(topic), self.text)
        path = urljoin(topic, action)
        return lambda text: browser.form_request(path, {**fields, self.text: text})
