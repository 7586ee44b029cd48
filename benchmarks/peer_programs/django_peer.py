"""What the peers that are Django projects have in common: manage.py, gunicorn and forms."""

from typing import ClassVar

from benchmarks.peer_programs.browser import Browser, form_with
from benchmarks.peer_programs.community import PASSWORD
from benchmarks.peer_programs.peer import Compose, Filled, Peer, Place

INSIDE = "benchmarks.peer_programs.inside"
THREADS = 4
"""Of a gunicorn worker, where the documents of a peer name no number."""


class DjangoPeer(Peer):
    """A Django project.

    manage: the commands of manage.py that its documents name for a new site; login_path: of the page
    with the form; login_field: what the form calls the member's name; text: what the form of a
    reply calls its text.
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
        return [
            *(str(place.python), "-m", "gunicorn", f"{INSIDE}.wsgi", "--bind", f"127.0.0.1:{port}"),
            *("--workers", str(processes), "--threads", str(THREADS), "--log-level", "warning"),
        ]

    def log_in(self, browser: Browser, name: str) -> None:
        action, fields = form_with(browser.get(self.login_path), "password")
        fields |= {self.login_field: name, "password": PASSWORD}
        browser.post(action or self.login_path, fields)

    def compose(self, browser: Browser, topic: str) -> Compose:
        action, fields = form_with(browser.get(topic), self.text)
        return lambda text: browser.form_request(action or topic, {**fields, self.text: text})
