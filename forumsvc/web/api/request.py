"""The request class with the properties that views use.

A class of our own, because Pyramid's `add_request_method` creates a new class for each request.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import transaction
import zope.sqlalchemy
from pyramid.decorator import reify
from pyramid.request import Request
from sqlalchemy import Connection

from ... import clock
from ...cache.page_cache import PageCache
from ...db.execution import ReadConnection
from ...db.executor import Executor
from ...db.keyset_paging import PageRequest, PageRows
from ...errors import Forbidden, Invalid
from ...models import Role, Via
from ...presenters.site import Site, site_of
from ...queries import users
from ...queries.rows import AccessRow
from ...schemas.fields import quoted
from ...schemas.including import Include
from ...security.denial import NO_USER
from ...security.identity import Identity, Level, identify
from ...services.accounts import email_confirmation
from ...services.moderation import audit_log
from ...services.photos import photos
from ...services.photos.photos import Quota
from ...services.posts.authoring import Authoring
from ...services.posts.publishing import Author
from ...services.site_texts import SiteTexts
from ...settings import Settings
from .operator import ENVIRON_KEY, Operator
from .parameters import Parameters, open_parts, read_parameters

if TYPE_CHECKING:
    from ...resources.base import Resource
    from ..registry import ForumRegistry

_LIMITED_LEVELS = frozenset({Level.NEWBIE, str(Role.MEMBER)})


class ForumRequest(Request):
    """A request of the forum.

    caller: set when the token is verified; access: the row of the token, with what it brings along,
    None without one; listed: the rows of which the versions of a list are made, for the view;
    validated: the parameters, set by the view's `schema=`; prework: the result of the view's
    `prework=`; result: what the view returned, once it is rendered; operation: the name of the
    view, set if metrics are enabled (empty: the request reached no view); page_context: the context
    of an HTML page, None elsewhere; error: what the answer says went wrong, for the page that shows
    it.
    """

    caller: Identity | None = None
    access: AccessRow | None = None
    listed: PageRows | None = None
    operation: str = ""
    page_context: Any = None
    error: str | None = None
    prework: Any = None
    result: Any = None
    validated: Mapping[str, Any] = MappingProxyType({})
    context: "Resource"
    registry: "ForumRegistry"

    @property
    def actor_id(self) -> int:
        """The caller's user id, for views that only users may call.

        Raises Forbidden for the operator, whose permissions are those of staff.
        """
        user_id = self.actor_id_or_none
        if user_id is None and self.operator is not None:
            raise Forbidden(NO_USER)
        assert user_id is not None, "the ACL grants this to users only"  # noqa: S101
        return user_id

    @property
    def actor_id_or_none(self) -> int | None:
        """The caller's user id, for what staff may do; None: the operator, who is no user."""
        return self.caller.user_id if self.caller else None

    @property
    def operator(self) -> Operator | None:
        """Who runs the command that makes this request; None for a request of a client."""
        operator: Operator | None = self.environ.get(ENVIRON_KEY)
        return operator

    @property
    def author(self) -> Author:
        """The caller as the author of a post, for views whose permission only users have."""
        is_limited = self.caller is not None and self.caller.level in _LIMITED_LEVELS
        return Author(self.actor_id, is_limited, self.remote_addr or "")

    def includes(self, word: Include) -> bool:
        """Return whether the client asked for this by `include`."""
        return word in (self.validated.get("include") or ())

    @reify
    def includes_state(self) -> bool:
        """Whether the client asked for the viewer state (`include=state`)."""
        return self.includes(Include.STATE)

    @reify
    def tm(self) -> transaction.TransactionManager:
        """The transaction manager that pyramid_tm begins and ends."""
        return transaction.TransactionManager(explicit=True)

    @property
    def is_write(self) -> bool:
        """Whether a transaction is open; without one the database is read-only."""
        return "tm.active" in self.environ

    @reify
    def db(self) -> ReadConnection:
        """The session of the request's transaction, or the executor, which can only read."""
        database = self.registry.database
        if self.is_write:
            session = database.session()
            if self.operator is None:
                audit_log.set_via(session, Via.API if self.page_context is None else Via.PAGE)
            else:
                audit_log.set_command(session, self.operator.system_user, self.operator.actor_id)
            zope.sqlalchemy.mark_changed(session, self.tm)
            return session
        return self.executor

    @property
    def executor(self) -> Executor:
        """The executor: runs compiled SELECTs on committed data."""
        return self.registry.database.executor

    @property
    def page_cache(self) -> PageCache:
        return self.registry.page_cache

    @reify
    def read_connection(self) -> Connection:
        """A read-only connection that sees committed data and holds no lock."""
        connection = self.registry.database.reads.connect()
        self.add_finished_callback(lambda request: connection.close())
        return connection

    def make_body_seekable(self) -> None:
        """Avoid a copy of the body for a retry if the server's input is seekable, as waitress's
        always is.
        """
        if hasattr(self.environ["wsgi.input"], "seek"):
            self.is_body_seekable = True
        super().make_body_seekable()

    @reify
    def now(self) -> datetime:
        """The time of the request: everything that it writes has this time."""
        return clock.now()

    @reify
    def authoring(self) -> Authoring:
        """The service that renders texts to HTML."""
        authoring: Authoring = self.registry.authoring
        return authoring

    @property
    def sends_mail(self) -> bool:
        """Whether the service sends email."""
        return bool(self.settings["mail.delivery"] != "none")

    @property
    def settings(self) -> Settings:
        return self.registry.forum_settings

    @reify
    def base_url(self) -> str:
        """The URL of the service, without a trailing slash."""
        return self.settings["site.url"] or self.application_url

    @reify
    def site(self) -> Site:
        """The site, for presenters."""
        return site_of(self.settings, self.base_url, self.now, self.site_texts.name)

    @reify
    def site_texts(self) -> SiteTexts:
        """The name, the texts and the logo of the site: the same ones to the end of the request."""
        return self.registry.site_texts.texts

    @reify
    def user_abilities(self) -> dict[int, dict[str, bool]]:
        """The caller's abilities for users who are shown as authors, by user id."""
        return {}

    @property
    def photo_quota(self) -> Quota:
        """The caller's quota of photos; maintainers and admins have no limit."""
        is_exempt = self.caller is not None and self.caller.is_moderator
        max_bytes = None if is_exempt else self.settings["photos.quota"]
        return Quota(self.actor_id, max_bytes or None)

    def remove_photo_on_abort(self, name: str) -> None:
        """Remove a photo's bytes if its row is not committed and no other user has them."""
        stored = self.registry.database, self.registry.photo_storages, name
        hooks = self.tm.get()
        hooks.addAfterAbortHook(photos.remove_unused, args=stored)
        # A COMMIT that fails calls no hook of an abort.
        hooks.addAfterCommitHook(_remove_unless_committed, args=stored)

    def photo_url(self, name: str, storage: str) -> str:
        """Return the URL of a stored photo. storage: the storage that its row names."""
        permanent_url = self.registry.photo_storages.permanent_url(name, storage)
        return permanent_url or self.site.photo_url(name)

    def user_id_of(self, parameter: str) -> int | None:
        """Return the id of the user whom a parameter names by id or login, None without it.

        Raises Invalid for an unknown user.
        """
        value = self.validated[parameter]
        user_id = None if value is None else users.id_of(self.executor, value)
        if value is not None and user_id is None:
            raise Invalid(parameter, f"there is no user {quoted(value)}")
        return user_id

    @property
    def page(self) -> PageRequest:
        """The requested page of a list. Raises Invalid."""
        values = self.validated
        return PageRequest(values["offset"], values["limit"], values["before"], values["after"])

    @property
    def POST(self) -> Parameters:  # noqa: N802
        """The parameters of the body, for Pyramid's CSRF check; WebOb's parser has no limits."""
        return self.parameters.of_body()

    @reify
    def parameters(self) -> Parameters:
        """The parameters of the query and the body. Raises Malformed."""
        parameters = read_parameters(self.environ)
        parts = open_parts(parameters)
        if parts:
            self.add_finished_callback(lambda request: [part.close() for part in parts])
        return parameters


Handler = Callable[[ForumRequest], Any]
"""What a tween wraps: the next tween, or Pyramid's router."""


def _remove_unless_committed(is_committed: bool, *stored: Any) -> None:
    if not is_committed:
        photos.remove_unused(*stored)


def caller_of(row: Any, request: ForumRequest) -> Identity:
    """Return the caller of a request. row: of an access token or a browser session."""
    settings = request.settings
    newbie = timedelta(minutes=settings["accounts.newbie_minutes"])
    must_confirm = email_confirmation.is_required(settings)
    return identify(row, request.now, newbie, must_confirm=must_confirm)
