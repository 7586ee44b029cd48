"""Declaring a view of the API: its path, its parameters and its permission."""

from typing import Any, Literal

from pyramid.config import Configurator
from pyramid.view import view_config

from ...resources.base import Resource
from ...schemas.including import Schema, schema_of
from ...schemas.validation import validate, validate_query
from ..http_cache.cache_policy import CachePolicy
from .prework import Prework
from .request import ForumRequest

Locked = Literal["row", "state"]


def api_view(
    context: type[Resource],
    method: str,
    permission: str,
    *,
    name: str = "",
    schema: Schema | None = None,
    cache_policy: CachePolicy | None = None,
    idempotent: bool = False,
    prework: Prework | None = None,
    locked: Locked | None = None,
    deprecated: str | None = None,
    own_parameters: tuple[str, ...] = (),
    renderer: Literal["api"] | None = "api",
    **predicates: Any,
) -> view_config:
    """Declare a view of the resource tree.

    permission: granted by the context's ACL; schema: of the parameters, which the
    view finds validated in `request.validated`; cache_policy: the versions that cover the page;
    idempotent: whether it takes an `Idempotency-Key`; prework: its slow part, which runs before any
    lock is taken, with its result in `request.prework`; locked: the item is loaded and authorized
    again under a lock: the whole "row", or only the "state" that its ACL reads, which is enough
    unless a text is changed; deprecated: its name in `deprecations.SINCE`, for older clients alone;
    own_parameters: the names of those that the view or a predicate reads beside the schema;
    renderer: None for a view that makes its response itself, which is no JSON.
    """
    return view_config(
        route_name="api",
        context=context,
        name=name,
        request_method=method,
        **({"tried_first": True} if method == "GET" else {}),
        permission=permission,
        # A browser does not add an access token to a request by itself.
        require_csrf=False,
        schema=schema,
        cache_policy=cache_policy,
        idempotent=idempotent,
        prework=prework,
        locked=locked,
        deprecated=deprecated,
        own_parameters=own_parameters,
        renderer=renderer,
        **predicates,
    )


def schema_deriver(view: Any, info: Any) -> Any:
    """Validate the parameters, after the permission and before the view."""
    if info.options.get("schema") is None:
        return view
    schema = schema_of(info.options["schema"], info.registry.forum_settings)
    read = validate_query if info.options["request_method"] == "GET" else validate

    def validated_view(context: Any, request: ForumRequest) -> Any:
        request.validated = read(schema, request.parameters)
        return view(context, request)

    return validated_view


schema_deriver.options = ("schema",)  # type: ignore[attr-defined]  # Pyramid's protocol


class ActionPredicate:
    """The view predicate `action=`: the parameter `type` has this value.

    Here alone the query wins: the API's description has the `type` of an action there.
    """

    def __init__(self, value: str, info: Any) -> None:
        self.value = value

    def text(self) -> str:
        return f"action = {self.value}"

    phash = text

    def __call__(self, context: Any, request: ForumRequest) -> bool:
        return request.parameters.get_from_query("type") == self.value


class TriedFirstPredicate:
    """The view predicate `tried_first=`: always true, so Pyramid tries this view before others.

    Most requests are GET, and each view that is tried in vain costs as much as a schema.
    """

    def __init__(self, value: bool, info: Any) -> None:
        """Ignore both: Pyramid passes the declared value and details of the view."""

    def text(self) -> str:
        return "tried_first"

    phash = text

    def __call__(self, context: Any, request: ForumRequest) -> bool:
        return True


def includeme(config: Configurator) -> None:
    """Register the predicates."""
    config.add_view_predicate("action", ActionPredicate)
    config.add_view_predicate("tried_first", TriedFirstPredicate)
