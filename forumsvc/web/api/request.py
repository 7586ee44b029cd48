"""The request: what every view finds on it. One class, because Pyramid makes a new class a
request for properties that are added the other way.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import transaction
import zope.sqlalchemy
from pyramid.decorator import reify
from pyramid.request import Request
from sqlalchemy import Connection

from ... import clock
from ...cache.page_cache import Memory
from ...db.execution import ReadConnection
from ...db.executor import Executor
from ...db.keyset_paging import PageRequest
from ...presenters.site import Site
from ...schemas.including import Include
from ...security.identity import Identity
from ...services import photos
from ...services.content.authoring import Authoring
from ...services.photo_quota import Quota
from ...settings import LEVELS, Settings
from .parameters import Parameters, open_parts, read_parameters

if TYPE_CHECKING:
    from ...resources.base import Resource

# The description puts the `type` of an action into the query.
_QUERY_WINS = frozenset({"type"})


class ForumRequest(Request):
    """A request of the forum.

    caller: set by the root of the tree once it accepted the token; lists_mark: as of then
    (`queries.marks.of_lists`), None where there was no token; validated: the parameters, set
    by the `schema=` of the view, if it has one; prework: the result of its `prework=`, likewise;
    operation: which view it came to, set where metrics are enabled (empty: it came to no view).
    """

    caller: Identity | None = None
    lists_mark: int | None = None
    operation: str = ""
    prework: Any = None
    validated: Mapping[str, Any] = MappingProxyType({})
    context: "Resource"

    @property
    def actor_id(self) -> int:
        """The caller's user id, for views whose permission only users hold."""
        user_id = self.caller.user_id if self.caller else None
        assert user_id is not None, "the ACL grants this to users only"  # noqa: S101
        return user_id

    @reify
    def includes_state(self) -> bool:
        """Whether the client wants to see how the caller stands to what is shown."""
        return self.validated.get("include") == Include.STATE

    @reify
    def tm(self) -> transaction.TransactionManager:
        """The transaction manager that pyramid_tm begins and ends."""
        return transaction.TransactionManager(explicit=True)

    @property
    def is_write(self) -> bool:
        """Whether a transaction is open; without one the database can only be read."""
        return "tm.active" in self.environ

    @reify
    def db(self) -> ReadConnection:
        """A session in the request's transaction, or what can only read."""
        database = self.registry.database
        if self.is_write:
            session = database.session()
            zope.sqlalchemy.mark_changed(session, self.tm)
            return session
        return self.executor

    @property
    def executor(self) -> Executor:
        """The short way to what is committed; for the API, which only runs queries' SELECTs."""
        executor: Executor = self.registry.database.executor
        return executor

    @property
    def page_cache(self) -> Memory:
        """What this process keeps from one request to the next."""
        memory: Memory = self.registry.page_cache
        return memory

    @reify
    def read_connection(self) -> Connection:
        """A connection that sees what is committed, cannot write, and holds no lock."""
        connection = self.registry.database.reads.connect()
        self.add_finished_callback(lambda request: connection.close())
        return connection

    def make_body_seekable(self) -> None:
        """Spare the copy that another attempt would be read from: the server's input can be read
        again as it is (waitress's always, from memory or its own temporary file).
        """
        if hasattr(self.environ["wsgi.input"], "seek"):
            self.is_body_seekable = True
        super().make_body_seekable()

    @reify
    def now(self) -> datetime:
        """The time of the request: all that it writes is of one moment."""
        return clock.now()

    @reify
    def authoring(self) -> Authoring:
        """How texts become HTML."""
        authoring: Authoring = self.registry.authoring
        return authoring

    @property
    def settings(self) -> Settings:
        """The checked settings."""
        return self.registry.forum_settings

    @reify
    def base_url(self) -> str:
        """The address of the service, without a slash at its end."""
        return self.settings["site.url"] or self.application_url

    @reify
    def site(self) -> Site:
        """What presenters need to know."""
        settings = self.settings
        return Site(
            base_url=self.base_url,
            level_names=self.registry.level_names,
            newbie=newbie_duration(settings),
            now=self.now,
        )

    @reify
    def user_abilities(self) -> dict[int, dict[str, bool]]:
        """What the caller may do with users who are shown beside something else, by their ids."""
        return {}

    @property
    def photo_quota(self) -> Quota:
        """How many bytes of photos the caller may store: maintainers and admins any number."""
        is_exempt = self.caller is not None and self.caller.is_moderator
        max_bytes = None if is_exempt else self.settings["photos.quota"]
        return Quota(self.actor_id, max_bytes or None)

    def remove_photo_on_abort(self, name: str) -> None:
        """Remove the bytes that were just stored under a name, where nobody uses them, should the
        request's transaction not be committed.
        """
        stored = self.registry.database, self.registry.photo_storages, name
        self.tm.get().addAfterAbortHook(photos.remove_unused, args=stored)

    def photo_url(self, name: str, storage: str | None) -> str:
        """Return the address of a stored picture. storage: what its row says of where it is."""
        lasting = self.registry.photo_storages.lasting_url(name, storage)
        return lasting or self.site.photo_url(name)

    @property
    def page(self) -> PageRequest:
        """The part of the list that is asked for. Raises Invalid."""
        asked = self.validated
        return PageRequest(asked["offset"], asked["limit"], asked["before"], asked["after"])

    @reify
    def parameters(self) -> Parameters:
        """The parameters of query and body. Raises Malformed."""
        parameters = read_parameters(self.environ, query_wins=_QUERY_WINS)
        parts = open_parts(parameters)
        if parts:
            self.add_finished_callback(lambda request: [part.close() for part in parts])
        return parameters


def newbie_duration(settings: Settings) -> timedelta:
    """Return how long a member counts as a newcomer."""
    return timedelta(minutes=settings["accounts.newbie_minutes"])


def level_names(settings: Settings) -> dict[str, str]:
    """Return the display names of the levels."""
    return {level: settings[f"levels.{level}"] for level in LEVELS}
