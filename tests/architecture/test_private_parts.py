"""Which private or semi-private parts of libraries the service leans on, and that they are there.

Each library here has an upper bound in `setup.py`. To raise one, run the tests with the newer
version: a part that went is named here, and a part that changed shows in the tests of its user.
"""

import importlib
import re
from importlib.metadata import requires

from tests.cases import each

PARTS = {
    "sqlalchemy": {
        "sqlalchemy.sql.compiler": ["ExpandedState", "SQLCompiler.construct_expanded_state"],
        "sqlalchemy.sql.compiler:SQLCompiler": [
            *("insert_prefetch", "literal_execute_params", "post_compile_params"),
            "update_prefetch",
        ],
        "sqlalchemy.types": ["TypeEngine.dialect_impl"],
    },
    "waitress": {
        "waitress.adjustments": ["Adjustments"],
        "waitress.channel:HTTPChannel": [
            *("add_channel", "close_when_flushed", "del_channel", "handle_close", "received"),
            *("send", "send_continue", "service", "total_outbufs_len", "will_close"),
        ],
        "waitress.parser": ["HTTPRequestParser.parse_header"],
        "waitress.server": ["BaseWSGIServer.pull_trigger"],
        "waitress.task": ["ErrorTask.execute"],
        "waitress.task:WSGITask": ["build_response_header", "set_close_on_finish", "write"],
        "waitress.utilities": ["cleanup_unix_socket"],
        "waitress.wasyncore": ["close_all", "dispatcher.close", "readwrite"],
    },
    "markdown": {
        "markdown.extensions.tables": ["TableProcessor._split"],
        "markdown.treeprocessors": ["InlineProcessor._InlineProcessor__handleInline"],
    },
    "pymdown-extensions": {
        "pymdownx.emoji": ["gemoji"],
        "pymdownx.superfences": ["SuperFencesBlockPreprocessor.reassemble"],
    },
    "pillow": {"PIL.JpegImagePlugin": ["get_sampling"]},
    "oauthlib": {
        "oauthlib.common": ["add_params_to_uri"],
        "oauthlib.oauth2.rfc6749.endpoints.introspect": ["IntrospectEndpoint"],
        "oauthlib.oauth2.rfc6749.endpoints.revocation": ["RevocationEndpoint"],
        "oauthlib.oauth2.rfc6749.endpoints.token": ["TokenEndpoint"],
        "oauthlib.oauth2.rfc6749.grant_types": ["AuthorizationCodeGrant"],
        "oauthlib.oauth2.rfc6749.tokens": ["BearerToken"],
        "oauthlib.uri_validate": ["is_absolute_uri"],
    },
}
"""By library: module, or module and class, and the names in it."""


@each(("place", "names"), [part for parts in PARTS.values() for part in parts.items()])
def test_the_installed_version_has_each_private_part(place, names):
    module, _, inner = place.partition(":")
    for path in names:
        found = importlib.import_module(module)
        for name in [*filter(None, [inner]), *path.split(".")]:
            assert hasattr(found, name), f"{path} is gone"
            found = getattr(found, name)


@each("library", PARTS)
def test_a_library_with_private_parts_in_use_has_an_upper_bound(library):
    texts = requires("forumsvc") or []
    bounds = [text for text in texts if re.match(rf"{library}(\[\w+\])?[<>~=]", text, re.I)]
    assert bounds
    assert "<" in bounds[0] or "~=" in bounds[0]
