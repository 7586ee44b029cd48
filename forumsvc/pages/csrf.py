"""Protection against cross-site request forgery (CSRF): the token that every form contains.

It is derived from the secret in the session cookie, so a form is valid in one browser only, before
the login, too (no login CSRF), and not after it.
"""

import hmac
from hashlib import sha256

from pyramid.config import Configurator
from pyramid.interfaces import ICSRFStoragePolicy
from zope.interface import implementer

from ..web.api.request import ForumRequest


@implementer(ICSRFStoragePolicy)
class CookieBoundCSRFPolicy:
    """Pyramid's storage policy: stores nothing but the cookie of the page context."""

    def new_csrf_token(self, request: ForumRequest) -> str:
        """Give the browser a new cookie, which no session has, and return its token."""
        return _token(request, request.page_context.new_cookie())

    def get_csrf_token(self, request: ForumRequest) -> str:
        """Return the token of the browser's cookie, or of a new one."""
        secret = request.page_context.cookie
        return self.new_csrf_token(request) if secret is None else _token(request, secret)

    def check_csrf_token(self, request: ForumRequest, supplied_token: object) -> bool:
        """Return whether a form was made for the browser that sent it."""
        secret = request.page_context.cookie
        if secret is None or not isinstance(supplied_token, str):
            return False
        supplied = supplied_token.encode("utf-8", "surrogatepass")
        return hmac.compare_digest(supplied, _token(request, secret).encode())


def _token(request: ForumRequest, secret: str) -> str:
    key = request.settings["session.secret"].encode()
    return hmac.new(key, f"form {secret}".encode(), sha256).hexdigest()


def includeme(config: Configurator) -> None:
    """Require the token of every view with an unsafe method, except where the view opts out.

    The origin is not checked: with `Referrer-Policy: no-referrer` browsers send `Origin: null`.
    """
    config.set_csrf_storage_policy(CookieBoundCSRFPolicy())
    config.set_default_csrf_options(require_csrf=True, header=None, check_origin=False)
