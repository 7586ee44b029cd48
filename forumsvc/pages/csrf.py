"""Protection against cross-site request forgery (CSRF): the token that every form contains.

It is derived from the secret in the session cookie, so a form is valid in one browser only, before
the login, too (no login CSRF), and not after it. Each response has it under a mask of its own, as
the length of a compressed page would reveal a text that is the same in each, guess by guess
(BREACH, https://breachattack.com).
"""

import hmac
from hashlib import sha256
from secrets import token_bytes

from pyramid.config import Configurator
from pyramid.interfaces import ICSRFStoragePolicy
from zope.interface import implementer

from ..web.api.request import ForumRequest

_MASK = "forumsvc.csrf_mask"
_BYTES = sha256().digest_size


@implementer(ICSRFStoragePolicy)
class CookieBoundCSRFPolicy:
    """Pyramid's storage policy: stores nothing but the cookie of the page context."""

    def new_csrf_token(self, request: ForumRequest) -> str:
        """Give the browser a new cookie, which no session has, and return its token."""
        request.page_context.new_cookie()
        return self.get_csrf_token(request)

    def get_csrf_token(self, request: ForumRequest) -> str:
        """Return the token of the browser's cookie, or of a new one: a mask, the masked, in hex."""
        mask = request.environ.setdefault(_MASK, token_bytes(_BYTES))
        return (mask + _exclusive_or(mask, form_secret(request))).hex()

    def check_csrf_token(self, request: ForumRequest, supplied_token: object) -> bool:
        """Return whether a form was made for the browser that sent it."""
        if request.page_context.cookie is None or not isinstance(supplied_token, str):
            return False
        try:
            supplied = bytes.fromhex(supplied_token)
        except ValueError:
            return False
        mask, masked = supplied[:_BYTES], supplied[_BYTES:]
        if len(masked) != _BYTES:
            return False
        return hmac.compare_digest(_exclusive_or(mask, masked), form_secret(request))


def form_secret(request: ForumRequest) -> bytes:
    """Return what the forms of this browser have in common; give it a cookie if it has none."""
    cookie = request.page_context.cookie or request.page_context.new_cookie()
    key = request.settings["session.secret"].encode()
    return hmac.digest(key, f"form {cookie}".encode(), "sha256")


def _exclusive_or(item: bytes, other: bytes) -> bytes:
    return (int.from_bytes(item) ^ int.from_bytes(other)).to_bytes(_BYTES)


def includeme(config: Configurator) -> None:
    """Require the token of every view with an unsafe method, except where the view opts out.

    The origin is not checked: with `Referrer-Policy: no-referrer` browsers send `Origin: null`.
    """
    config.set_csrf_storage_policy(CookieBoundCSRFPolicy())
    config.set_default_csrf_options(require_csrf=True, header=None, check_origin=False)
