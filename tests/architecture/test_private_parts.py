"""Which private or semi-private parts of libraries the service leans on, and that they are there.

Each library here has an upper bound in `setup.py`. To raise one, run the tests with the newer
version: a part that went is named here, and a part that changed shows in the tests of its user.
"""

import ast
import importlib
import re
from pathlib import Path

from tests.cases import each

SETUP = Path(__file__).parents[2] / "setup.py"

PARTS = {
    # what: by whom it is used
    "sqlalchemy": {
        "sqlalchemy.sql.compiler:ExpandedState": "db/compiled_statement.py",
        "sqlalchemy.sql.compiler:SQLCompiler.construct_expanded_state": "db/compiled_statement.py",
        "sqlalchemy.sql.compiler:SQLCompiler.insert_prefetch": "db/compiled_statement.py",
        "sqlalchemy.sql.compiler:SQLCompiler.literal_execute_params": "db/compiled_statement.py",
        "sqlalchemy.sql.compiler:SQLCompiler.post_compile_params": "db/compiled_statement.py",
        "sqlalchemy.sql.compiler:SQLCompiler.update_prefetch": "db/compiled_statement.py",
        "sqlalchemy.types:TypeEngine.dialect_impl": "db/compiled_statement.py",
    },
    "waitress": {
        "waitress.adjustments:Adjustments": "serving/options.py",
        "waitress.channel:HTTPChannel.del_channel": "serving/channel.py",
        "waitress.channel:HTTPChannel.handle_close": "serving/channel.py",
        "waitress.channel:HTTPChannel.received": "serving/channel.py",
        "waitress.channel:HTTPChannel.send": "serving/channel.py",
        "waitress.channel:HTTPChannel.send_continue": "serving/channel.py",
        "waitress.channel:HTTPChannel.service": "serving/channel.py",
        "waitress.parser:HTTPRequestParser.parse_header": "serving/channel.py",
        "waitress.task:ErrorTask.execute": "serving/channel.py",
        "waitress.task:WSGITask.build_response_header": "serving/channel.py",
        "waitress.task:WSGITask.set_close_on_finish": "serving/channel.py",
        "waitress.utilities:cleanup_unix_socket": "serving/listen_sockets.py",
        "waitress.wasyncore:close_all": "serving/worker.py",
        "waitress.wasyncore:dispatcher.close": "serving/worker.py",
        "waitress.wasyncore:loop": "serving/worker.py",
    },
    "markdown": {
        "markdown.extensions.tables:TableProcessor._split": "markup/syntax/commonmark.py",
        "markdown.treeprocessors:InlineProcessor._InlineProcessor__handleInline": (
            "markup/syntax/inline.py"
        ),
    },
    "pymdown-extensions": {
        "pymdownx.emoji:gemoji": "markup/syntax/parser.py",
        "pymdownx.superfences:SuperFencesBlockPreprocessor.reassemble": (
            "markup/syntax/fenced_code.py"
        ),
    },
    "pillow": {
        "PIL.JpegImagePlugin:get_sampling": "media/encode.py",
    },
    "oauthlib": {
        "oauthlib.common:add_params_to_uri": "oauth/authorization_endpoint.py",
        "oauthlib.oauth2.rfc6749.endpoints.introspect:IntrospectEndpoint": "oauth/server.py",
        "oauthlib.oauth2.rfc6749.endpoints.revocation:RevocationEndpoint": "oauth/server.py",
        "oauthlib.oauth2.rfc6749.endpoints.token:TokenEndpoint": "oauth/server.py",
        "oauthlib.oauth2.rfc6749.grant_types:AuthorizationCodeGrant": "oauth/code_grant.py",
        "oauthlib.oauth2.rfc6749.tokens:BearerToken": "oauth/server.py",
        "oauthlib.uri_validate:is_absolute_uri": "oauth/redirects.py",
    },
}


@each("part", [part for parts in PARTS.values() for part in parts])
def test_the_installed_version_has_each_private_part(part: str) -> None:
    module, _, path = part.partition(":")
    found = importlib.import_module(module)
    for name in path.split("."):
        assert hasattr(found, name), f"{part} is gone"
        found = getattr(found, name)


@each("library", PARTS)
def test_a_library_with_private_parts_in_use_has_an_upper_bound(library: str) -> None:
    texts = {
        node.value
        for node in ast.walk(ast.parse(SETUP.read_text()))
        if isinstance(node, ast.Constant)
    }
    [bound] = (
        text
        for text in texts
        if isinstance(text, str) and re.match(rf"{library}(\[\w+\])?[<>~=]", text, re.IGNORECASE)
    )
    assert "<" in bound or "~=" in bound
