"""/docs: the API explorer, which is swagger-ui with a few files of ours."""

from pyramid.config import Configurator
from pyramid.response import Response

from ..oauth.explorer import CLIENT_ID, REDIRECT_PATH
from ..permissions import Common
from ..resources.public import Public
from ..web.api.request import ForumRequest
from .assets import Asset, load_asset
from .page_context import PageContext, public_page
from .templating import render_page

_FILES = {
    "swagger-ui.css": "swagger_ui/swagger-ui.css",
    "swagger-ui-bundle.js": "swagger_ui/swagger-ui-bundle.js",
    "oauth2-redirect.js": "swagger_ui/oauth2-redirect.js",
    "favicon.png": "swagger_ui/favicon-32x32.png",
    "explorer.css": "explorer.css",
    "explorer.js": "explorer.js",
}
_CSP = {
    "script-src": "'self'",
    # swagger-ui.css contains its icons as data: URLs.
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'none'",
}


def show(context: PageContext, request: ForumRequest) -> Response:
    context.csp_directives.update(_CSP)
    return render_page(
        context,
        "explorer.html",
        file=lambda name: _file_url(request, name),
        client_id=CLIENT_ID,
        redirect_uri=request.site.base_url + REDIRECT_PATH,
    )


def redirect(context: PageContext, request: ForumRequest) -> Response:
    """Pass the authorization response to the explorer window that opened this one."""
    context.csp_directives.update({"script-src": "'self'", "form-action": "'none'"})
    return render_page(
        context, "explorer_redirect.html", script=_file_url(request, "oauth2-redirect.js")
    )


def file(context: Public, request: ForumRequest) -> Response:
    return _file(request.matchdict["name"]).respond(request)


def _file(name: str) -> Asset:
    return load_asset(_FILES[name])


def _file_url(request: ForumRequest, name: str) -> str:
    path: str = request.route_path("docs_file", name=name, _query={"v": _file(name).version})
    return path


def includeme(config: Configurator) -> None:
    names = "|".join(_FILES).replace(".", r"\.")
    config.add_route("docs", "/docs", factory=public_page)
    config.add_view(show, route_name="docs", request_method="GET", permission=Common.VIEW)
    config.add_route("docs_redirect", REDIRECT_PATH, factory=public_page)
    config.add_view(
        redirect, route_name="docs_redirect", request_method="GET", permission=Common.VIEW
    )
    config.add_route("docs_file", f"/docs/files/{{name:{names}}}", factory=Public)
    config.add_view(file, route_name="docs_file", request_method="GET", permission=Common.VIEW)
