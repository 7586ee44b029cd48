"""The translations of the pages are complete, and compiled."""

import ast
import re
from datetime import UTC, datetime

from babel.messages.checkers import python_format

from docs import make_catalogs
from forumsvc.pages.languages import moment
from tests.cases import each

TEMPLATES = make_catalogs.PACKAGE / "pages"
# What only programs read has element names alone; the explorer is swagger-ui.
_NOT_PAGES = {"atom.jinja2", "sitemap.jinja2", "explorer.jinja2", "explorer_redirect.jinja2"}
FORUM = [path for path in sorted(TEMPLATES.rglob("*.jinja2")) if path.name not in _NOT_PAGES]
_CODE = re.compile(r"\{% trans.*?endtrans %\}|\{[%{#].*?[%}#]\}", re.DOTALL)
_TAG = re.compile(r"<code>.*?</code>|<[^>]*>|\w+=\"[^\"]*\"")


@each("path", make_catalogs.CATALOGS)
def test_every_text_is_translated(path):
    catalog = make_catalogs.read(path)
    for message in catalog:
        if message.id:
            assert message.string, message.id
            assert all(message.string), message.id
            python_format(catalog, message)


@each("path", FORUM)
def test_no_text_of_a_template_is_outside_of_the_catalogue(path):
    outside = _TAG.sub("", _CODE.sub("", path.read_text()))
    assert re.findall(r"[^\W\d_]+", outside) == []


@each(("language", "words"), [("en", "Sep 3, 2026 04:05 UTC"), ("zh", "2026年9月3日 04:05 UTC")])
def test_a_time_is_written_as_in_the_language(language, words):
    assert moment(language, datetime(2026, 9, 3, 4, 5, tzinfo=UTC)) == words


_VERBS = ("must ", "is ", "has ", "holds ", "may ", "cannot ", "does ", "needs ")


def reasons() -> list[str]:
    """Return each literal reason of `Invalid` that a page may show, but for those of a Clause."""
    package = make_catalogs.PACKAGE
    reasons = [
        node.args[1]
        for path in package.rglob("*.py")
        if path.relative_to(package).parts[0] not in ("cli", "media")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Invalid" and len(node.args) > 1
    ]
    literals = [
        reason.args[0]
        if isinstance(reason, ast.Call) and ast.unparse(reason.func) == "Message"
        else reason
        for reason in reasons
    ]
    return [str(literal.value) for literal in literals if isinstance(literal, ast.Constant)]


def test_a_reason_goes_on_from_the_name_of_the_field_or_is_a_clause():
    literals = [reason for reason in reasons() if reason[0].islower()]  # others: of a form
    assert len(literals) > 20
    assert [reason for reason in literals if not reason.startswith(_VERBS)] == []
