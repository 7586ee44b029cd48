"""What the application really serves, asked of Pyramid: permissions, endpoints, words."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from pyramid.security import NO_PERMISSION_REQUIRED

from forumsvc.models.states import ACTION_TYPES
from forumsvc.permissions import FORBIDDEN
from forumsvc.resources.base import Container
from forumsvc.resources.root import Root
from forumsvc.security.identity import Identity
from forumsvc.web.api.operations import operation_name
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


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The views of the application as Pyramid knows them, without its own; `words`: permissions."""
    here = tmp_path_factory.mktemp("catalogue")
    application = make_app(f"sqlite:///{here / 'nothing.sqlite'}", here)
    found = []
    for entry in application.registry.introspector.get_category("views"):
        view = entry["introspectable"]
        if view["callable"] is not None and not view["callable"].__module__.startswith("pyramid."):
            words = [one["value"] for one in entry["related"] if one.category_name == "permissions"]
            found.append({**view, "words": words})
    return found


def endpoint_of(view: dict[str, Any]) -> str:
    """Return how the access matrix names the endpoint of a view."""
    name = f"/{view['name']}" if view["name"] else ""
    return f"{view['request_methods']} {PLACES[view['context']]}{name}"


def test_every_view_names_one_permission_of_its_own_and_its_method(views):
    for view in views:
        assert len(view["words"]) == 1, view
        assert view["words"] != [FORBIDDEN], view
        assert view["route_name"] is None or isinstance(view["request_methods"], str), view


def test_a_view_without_permission_answers_an_error(views):
    without = [view for view in views if NO_PERMISSION_REQUIRED in view["words"]]
    assert {view["context"].__name__ for view in without} == WITHOUT_PERMISSION


def test_only_views_for_programs_need_no_csrf_token(views):
    # None is the default, which requires the token.
    answering = [view for view in views if not view["exception_only"]]
    without = {view["route_name"] for view in answering if view["require_csrf"] is False}
    programs = {"api", "oauth_token", "oauth_revoke", "oauth_introspect", "unsubscribe"}
    assert without - {None} == programs


def test_no_two_views_have_the_same_name_in_the_metrics(views):
    named: dict[str, set[Any]] = {}
    for view in views:
        named.setdefault(operation_name(view["callable"]), set()).add(view["callable"])
    assert {name: same for name, same in named.items() if len(same) > 1} == {}


def test_every_view_of_the_tree_is_in_the_access_matrix_and_the_other_way_round(views):
    tried = set()
    for row in access_matrix.rows():
        kind = re.search(r"/action.*[?&]type=(\w+)", row.path)
        action = kind[1] if kind and kind[1] in ACTION_TYPES else None
        tried.add((f"{row.method} {row.pattern}".replace("/me", "/:id"), action))
    served = [view for view in views if view["route_name"] == "api"]
    assert tried == {(endpoint_of(view), view.get("action")) for view in served}
