"""/docs: the API explorer, which is swagger-ui with a few files of ours."""

from functools import partial
from typing import Any

from ...oauth.explorer import CLIENT_ID, REDIRECT_PATH
from ...permissions import Common
from ...web.api.request import ForumRequest
from ..page import page
from ..page_context import PageContext, public_page

_CSP = {
    "script-src": "'self'",
    # swagger-ui.css contains its icons as data: URLs.
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'none'",
}
_docs_page = partial(page, factory=public_page, permission=Common.VIEW, needs="docs.enabled")


@_docs_page("explorer", "/docs", template="explorer")
def show(context: PageContext, request: ForumRequest) -> dict[str, Any]:
    context.csp_directives.update(_CSP)
    return {"client_id": CLIENT_ID, "redirect_uri": request.site.base_url + REDIRECT_PATH}


@_docs_page("explorer_redirect", REDIRECT_PATH, template="explorer_redirect")
def redirect(context: PageContext, request: ForumRequest) -> dict[str, Any]:
    """Pass the authorization response to the explorer window that opened this one."""
    context.csp_directives.update({"script-src": "'self'", "form-action": "'none'"})
    return {}
