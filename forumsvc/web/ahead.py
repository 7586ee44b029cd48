"""What takes long is done before the transaction's first statement, so that no lock waits for it.

An unsafe request locks what it loads, on SQLite the whole database. A hostile text may take a
second to render and a large picture longer to shrink, so both are done when the caller is known and
the item is not loaded yet. What comes of it is used, or an error raised, only where the view asks:
the checks keep their order.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from ..errors import ForumError
from ..permissions import Scope
from ..security import principals
from ..services import photos
from .request import ForumRequest

_POSTS = frozenset({"topics", "replies"})
_USERS = "users"

T = TypeVar("T")


class Outcome(Generic[T]):
    """What a piece of work came to: a value, or an error to be raised where it is asked for."""

    def __init__(self, work: Callable[[], T]) -> None:
        """Do the work."""
        self._error: ForumError | None = None
        try:
            self._value = work()
        except ForumError as error:
            self._error = error

    def result(self) -> T:
        """Return the value. Raises ForumError."""
        if self._error is not None:
            raise self._error
        return self._value


def work_ahead(request: ForumRequest) -> None:
    """Do what the request will need if it is allowed; for callers who may write at all."""
    caller = request.caller
    if caller is None or caller.user_id is None or not request.is_write:
        return
    may_write = principals.ACTIVE in principals.principals_of(caller)
    if not may_write or Scope.WRITE not in caller.scopes:
        return
    of_what = next(iter(request.matchdict["traverse"]), "").removesuffix(".json")
    if of_what in _POSTS:
        _render_body(request)
    elif of_what == _USERS and request.method == "PUT":
        _shrink_avatar(request, caller.user_id)


def _render_body(request: ForumRequest) -> None:
    body = request.parameters.one("body")
    longest = request.settings["posts.max_body"]
    if isinstance(body, str) and 0 < len(body) <= longest and _is_text(body):
        request.authoring = request.authoring.ahead(request.db, body)


def _is_text(text: str) -> bool:
    """Tell whether no character of the text keeps it from passing the schema."""
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shrink_avatar(request: ForumRequest, user_id: int) -> None:
    address = request.parameters.one("avatar")
    if isinstance(address, str) and address.strip() and _is_text(address):
        registry = request.registry
        request.avatar = Outcome(
            lambda: photos.store_avatar(
                request.reader, registry.photos, registry.photo_limits, user_id, address.strip()
            )
        )
