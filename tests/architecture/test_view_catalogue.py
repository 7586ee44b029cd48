"""What the application really serves, asked of Pyramid: permissions, endpoints, words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from pyramid.security import NO_PERMISSION_REQUIRED

from forumsvc.permissions import FORBIDDEN
from forumsvc.resources.base import Container
from forumsvc.resources.root import Root
from forumsvc.security.identity import Identity
from tests.functional import access_matrix
from tests.functional.forum import make_app


def _places() -> dict[type, str]:
    """Return the path of each kind of resource, found by the paths of the access matrix."""
    found: dict[type, str] = {}
    for pattern in {row.pattern for row in access_matrix.rows()}:
        request: Any = SimpleNamespace(settings={"search.open_to": "everyone"})
        context: Any = Root(request, Identity(1, "ann", "member", frozenset(), 1), is_write=False)
        found[Root] = path = ""
        for name in pattern.replace("/me", "/:id").split("/")[1:]:
            try:
                if isinstance(context, Container) and name == ":id":
                    context = context.item(context, "7", SimpleNamespace(id=7))
                else:
                    context = context[name]
            except KeyError:
                break  # it is the name of a view
            path += f"/{name}"
            found[type(context)] = path
    return found


PLACES = _places()
WITHOUT_PERMISSION = {
    *("ForumError", "HTTPForbidden", "HTTPNotFound", "HTTPException", "DBAPIError", "TimeoutError"),
    *("IncompatibleDatabase", "PasswordsBusy", "BadCSRFToken", "Exception", "LoginRequired"),
    *("RedirectableError", "NonRedirectableError"),
}
"""The contexts of views that need none: errors, which answer a request that has failed already."""


@dataclass(frozen=True)
class Known:
    """A view that Pyramid knows."""

    route: str | None
    context: Any
    name: str
    method: str | None
    action: str | None
    permissions: tuple[str, ...]
    requires_csrf: bool

    @property
    def endpoint(self) -> str:
        """How the API description would name it."""
        place = PLACES[self.context] + (f"/{self.name}" if self.name else "")
        return f"{self.method} {place}" + (f"?type={self.action}" if self.action else "")


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> list[Known]:
    """The views of the application, but for those that Pyramid brings for its own exceptions."""
    here = tmp_path_factory.mktemp("catalogue")
    application = make_app(f"sqlite:///{here / 'nothing.sqlite'}", here)
    return [*_known(application.registry.introspector)]


def _known(introspector: Any) -> Iterator[Known]:
    for entry in introspector.get_category("views"):
        view = entry["introspectable"]
        if view["callable"] is None or view["callable"].__module__.startswith("pyramid."):
            continue
        words = [one["value"] for one in entry["related"] if one.category_name == "permissions"]
        yield Known(
            view["route_name"],
            view["context"],
            view["name"],
            view["request_methods"],
            view.get("action"),
            tuple(words),
            # None: the default, which requires the token.
            view["require_csrf"] is not False,
        )


def test_every_view_names_one_permission_of_its_own(views: list[Known]) -> None:
    for view in views:
        assert len(view.permissions) == 1, view
        assert view.permissions[0] != FORBIDDEN, view


def test_a_view_without_permission_answers_an_error(views: list[Known]) -> None:
    without = [view for view in views if NO_PERMISSION_REQUIRED in view.permissions]
    assert {view.context.__name__ for view in without} == WITHOUT_PERMISSION


def test_every_view_names_its_method(views: list[Known]) -> None:
    for view in views:
        assert view.route is None or isinstance(view.method, str), view


def test_only_views_for_programs_need_no_csrf_token(views: list[Known]) -> None:
    without = {view.route for view in views if view.route and not view.requires_csrf}
    assert without == {"api", "oauth_token", "oauth_revoke", "oauth_introspect"}


ACTIONS = {"ban", "unban", "normal", "excellent", "unexcellent", "close", "open"}


def _matrix() -> set[str]:
    found = set()
    for row in access_matrix.rows():
        kind = re.search(r"/action.*[?&]type=(\w+)", row.path)
        action = f"?type={kind[1]}" if kind and kind[1] in ACTIONS else ""
        found.add(f"{row.method} {row.pattern}{action}")
    return found


def test_every_view_of_the_tree_is_in_the_access_matrix_and_the_other_way_round(
    views: list[Known],
) -> None:
    served = {view.endpoint for view in views if view.route == "api"}
    assert {line.replace("/me", "/:id") for line in _matrix()} == served
