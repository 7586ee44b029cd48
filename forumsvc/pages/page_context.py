"""The Pyramid context of the pages: session cookie, logged-in user.

The cookie holds one random secret. A user is logged in if the database has a session with its hash.
Logging in replaces the secret (no session fixation).
"""

from typing import Any

from ..queries import reviews, unread_groups
from ..resources.page import PageResource
from ..security.identity import Level
from ..services.accounts import closures
from ..sessions import browser_sessions
from ..sessions.authentication import Authentication
from ..sessions.token_hash import new_secret
from ..web.api.request import ForumRequest, caller_of
from ..web.pipeline.network_blocks import enforce_blocks_changed_since
from ..web.pipeline.session_cookie import SESSION, read_session_cookie, set_cookie
from ..web.pipeline.transactions import is_unsafe
from .browsers import browser_name
from .paths import path_to_go_on, safe_redirect_path, with_query

_BEFORE_LOGIN = ("login", "signup", "forgot_password", "reset_password", "confirm_email")
"""The routes of pages on the way to a login, which hand on where to go after it."""
_COOKIE_GRACE = 86400
"""Seconds by which the cookie outlives the session, so that an expired session is recognized."""

_MOST_SHOWN = 99
"""No greater number stands beside a link."""


def short_count(count: int, has_more: bool = False) -> str:
    """Return a number beside a link, such as "3", "3+" where there are more, "" for none."""
    if not count:
        return ""
    return f"{min(count, _MOST_SHOWN)}{'+' if has_more or count > _MOST_SHOWN else ''}"


def is_script(request: ForumRequest) -> bool:
    """Return whether a script of this site asks; no other site may send this header."""
    return "X-Requested-With" in request.headers


class LoginRequired(Exception):
    """The page needs a logged-in user. next: the path to redirect to after the login, if any."""

    def __init__(self, next_path: str | None) -> None:
        super().__init__("You must log in to see this page.")
        self.next = next_path


class PageContext(PageResource):
    """The context of every page.

    user: the row of the logged-in user, or None; cookie: the secret in the browser's cookie, or
    None; open_reviews: how many wait for moderators, 0 for others; unread_entries: how many of
    /notifications are unread, empty for none; csp_directives: those of this page, in addition to
    those of every page; None: this page has not that one; has_taken_back_closure: whether `log_in`
    did, so that the account stays.
    """

    def __init__(self, request: ForumRequest) -> None:
        """Read the cookie and load the session."""
        self.request = request
        request.page_context = self  # also when another context, an error, answers
        self.cookie = read_session_cookie(request)
        self._cookie_changed = False
        self.user: Any | None = None
        self.csp_directives: dict[str, str | None] = {}
        self.has_taken_back_closure = False
        # Also where what follows fails, and a page says so.
        self.open_reviews, self.unread_entries = 0, ""
        request.add_response_callback(self._set_cookie)
        if self.cookie is not None:
            # Not in the request's transaction, which on SQLite holds the write lock.
            self.user = browser_sessions.find(request.executor, self.cookie, request.now)
            if self.user is not None and self._shows_what_was_read(self.user.user_id):
                self.user = browser_sessions.find(request.executor, self.cookie, request.now)
        if self.user is not None:
            address = request.remote_addr or ""
            request.registry.session_uses.used(self.user, address, request.now)
            request.caller = caller_of(self.user, request)
            enforce_blocks_changed_since(request, self.user.access_version)
            self.unread_entries = self._count_unread_entries(self.user)
        is_moderator = request.caller is not None and request.caller.is_moderator
        if is_moderator:
            self.open_reviews = reviews.waiting(request.executor)[0]

    def _shows_what_was_read(self, user_id: int) -> bool:
        """Write what the user has read on the page before, and return whether there was any."""
        # In the transaction of a POST, which may hold the write lock, it would wait for itself.
        if self.request.method != "GET" or is_script(self.request):
            return False
        return self.request.registry.read_marker.finish_of(user_id)

    def _count_unread_entries(self, user: Any) -> str:
        count, has_more = user.unread_count, False
        if count > 1:
            count, has_more = unread_groups.of_user(self.request.executor, user.user_id)
        return short_count(count, has_more)

    def new_cookie(self) -> str:
        """Give the browser a new cookie, without a session, and return its secret."""
        self.cookie, self._cookie_changed = new_secret(), True
        return self.cookie

    @property
    def session_secret(self) -> str:
        """The secret of the user's session."""
        assert self.user is not None, "only for pages with login_required"  # noqa: S101
        assert self.cookie is not None, "the session was found by the cookie"  # noqa: S101
        return self.cookie

    @property
    def account_pages(self) -> tuple[str, ...]:
        """The routes of the pages about the user's own account; who only reads edits no profile."""
        caller = self.request.caller
        only_reads = (Level.BLOCKED, Level.UNCONFIRMED, Level.AWAITING_APPROVAL)
        may_write = caller is not None and caller.level not in only_reads
        first = ("settings", "notification_settings") if may_write else ()
        mail = ("email", "mail_settings")
        safety = ("change_password", "sessions", "applications", "blocked")
        return (*first, *mail, *safety, "display", "drafts", "own_photos", "own_data")

    @property
    def is_unconfirmed(self) -> bool:
        """Whether the user may only read until they have confirmed their email address."""
        caller = self.request.caller
        return caller is not None and caller.level == Level.UNCONFIRMED

    @property
    def awaits_approval(self) -> bool:
        """Whether the user may only read until a moderator has approved the account."""
        return self.user is not None and bool(self.user.awaits_approval)

    def let_forms_leave(self) -> None:
        """Send no form-action: the redirects behind a form of this page may lead to applications.

        Chromium applies the directive to every redirect that follows a form, and nobody knows where
        an application redirects to (https://github.com/w3c/webappsec-csp/issues/8).
        """
        self.csp_directives["form-action"] = None

    def log_in(self, authentication: Authentication) -> bool:
        """Replace the browser's session with a new one; return False if the proof is outdated.

        Who has asked to close the account takes that back by logging in.
        """
        request = self.request
        self._end_session()
        secret = browser_sessions.start(
            request.db,
            authentication,
            ttl=request.settings["session.ttl_seconds"],
            now=request.now,
            browser=browser_name(request.user_agent),
            address=request.remote_addr or "",
        )
        if secret is None:
            return False
        authentication.record(request.db)
        user_id = authentication.user_id
        self.has_taken_back_closure = closures.take_back(request.db, request.now, user_id)
        self.cookie, self._cookie_changed = secret, True
        return True

    def log_out(self) -> None:
        self._end_session()
        self.cookie, self._cookie_changed = None, True

    def _end_session(self) -> None:
        if self.cookie is not None and self.user is not None:
            browser_sessions.delete(self.request.db, self.cookie)

    def _set_cookie(self, request: ForumRequest, response: Any) -> None:
        if not self._cookie_changed:
            return
        max_age = request.settings["session.ttl_seconds"] + _COOKIE_GRACE if self.cookie else 0
        set_cookie(request, response, SESSION, self.cookie or "", max_age)


def public_page(request: ForumRequest) -> PageContext:
    """Return the context of a page that everybody can see."""
    return PageContext(request)


def login_required(request: ForumRequest) -> PageContext:
    """Return the context of a page for logged-in users. Raises LoginRequired."""
    context = PageContext(request)
    if context.user is None:
        raise LoginRequired(path_after_login(request))
    return context


def path_after_login(request: ForumRequest) -> str | None:
    """Return where to go after the login that a page needs: there, or where its form is."""
    if not is_unsafe(request):
        return safe_redirect_path(request.path_qs)
    if "action" in request.matchdict:  # a button: its page is that of the resource
        return safe_redirect_path(request.path.rpartition("/")[0])
    # The page with the form, if it is at the same URL.
    methods = request.registry.methods.of(request.matched_route.name, PageContext, "") or ()
    return safe_redirect_path(request.path_qs) if "GET" in methods else None


def path_to_come_back(request: ForumRequest) -> str | None:
    """Return where a link to the login leads back to: this page, if there is a way back to it."""
    if getattr(request, "exception", None) is not None or request.matched_route is None:
        return None
    if request.matched_route.name in _BEFORE_LOGIN:
        return path_to_go_on(request)
    if is_unsafe(request):
        return path_after_login(request)
    path = safe_redirect_path(with_query(request.path, **_shown_query(request)))
    return None if path == request.route_path("home") else path


def _shown_query(request: ForumRequest) -> dict[str, str]:
    """Return the query of a page without what makes no difference to it.

    Visitors share a cached page, so all who get it must have the same: a number has one form.
    """
    query = {}
    for name, value in request.validated.items():
        given = request.parameters.get(name)
        if given is not None:
            query[name] = str(value if type(value) is int else given)
    return query
