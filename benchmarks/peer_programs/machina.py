"""django-machina, a forum to be included in a project with Django."""

from typing import ClassVar

from benchmarks.peer_programs.django_peer import DjangoPeer
from benchmarks.peer_programs.peer import Filled, Place

_LOGIN = """{% extends "board_base.html" %}{% block content %}
<form method="post">{% csrf_token %}{{ form }}<button>Log in</button></form>
{% endblock %}"""


class Machina(DjangoPeer):
    """The project around it is the least that its documents name, and a page to log in."""

    key, name, package = "machina", "django-machina", "django-machina"
    posts = "forum_conversation_post"
    manage: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("migrate", "--verbosity", "0"),
        ("collectstatic", "--no-input", "--verbosity", "0"),
    )
    login_path = "/accounts/login/"
    text = "content"

    def fill(self, place: Place) -> Filled:
        folder = place.folder / "templates" / "registration"
        folder.mkdir(parents=True)
        (folder / "login.html").write_text(_LOGIN)
        return super().fill(place)

    def search(self, word: str) -> str:
        return f"/search/?q={word}"
