"""Spirit, a forum on Django."""

from typing import ClassVar

from benchmarks.peer_programs.django_peer import DjangoPeer
from benchmarks.peer_programs.peer import SEARCH, Filled, Place


class Spirit(DjangoPeer):
    """Its own command makes the project. Members alone may search."""

    key, name, package = "spirit", "Spirit", "django-spirit"
    posts = "spirit_comment_comment"
    needs_redis = True
    members_only: ClassVar[frozenset[str]] = frozenset({SEARCH})
    manage = (
        ("migrate", "--verbosity", "0"),
        ("createcachetable",),
        ("collectstatic", "--no-input", "--verbosity", "0"),
    )
    # In one commit: Whoosh looks into all it has for each text of the second and later ones.
    manage_after = (("rebuild_index", "--batch-size=1000000", "--noinput", "--verbosity", "0"),)
    login_path = "/user/login/"
    text = "comment"

    def environment(self, place: Place) -> dict[str, str]:
        found = super().environment(place)
        return {**found, "PYTHONPATH": f"{place.folder / 'site'}:{found['PYTHONPATH']}"}

    def fill(self, place: Place) -> Filled:
        program = str(place.python.with_name("spirit"))
        self.run_program(place, program, "startproject", "mysite", "--path", str(self._site(place)))
        return super().fill(place)

    def beside(self, place: Place) -> list[list[str]]:
        return [[str(place.python), "-m", "django", "run_huey"]]

    def search(self, word: str) -> str:
        return f"/search/?q={word}"

    def _site(self, place: Place) -> str:
        folder = place.folder / "site"
        folder.mkdir()
        return str(folder)
