"""/docs: the API explorer, which is swagger-ui with a few files of ours."""

from typing import Any

from pyramid.config import Configurator

from ...oauth.explorer import CLIENT_ID, REDIRECT_PATH
from ...permissions import Common
from ...web.api.request import ForumRequest
from ..page_context import PageContext, public_page
from ..static_files import add_static_files
from ..views import add_page

_CSP = {
    "script-src": "'self'",
    # swagger-ui.css contains its icons as data: URLs.
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'none'",
}


def show(context: PageContext, request: ForumRequest) -> dict[str, Any]:
    context.csp_directives.update(_CSP)
    return {"client_id": CLIENT_ID, "redirect_uri": request.site.base_url + REDIRECT_PATH}


def redirect(context: PageContext, request: ForumRequest) -> dict[str, Any]:
    """Pass the authorization response to the explorer window that opened this one."""
    context.csp_directives.update({"script-src": "'self'", "form-action": "'none'"})
    return {}


def includeme(config: Configurator) -> None:
    add_static_files(config, "docs/files", "forumsvc.pages.docs:files")
    for view, name, path in (
        (show, "explorer", "/docs"),
        (redirect, "explorer_redirect", REDIRECT_PATH),
    ):
        add_page(config, name, path, public_page, Common.VIEW, view, template=name)
