"""The translations of the pages are complete, and compiled."""

import ast
import re
from datetime import UTC, datetime
from gettext import GNUTranslations
from io import BytesIO

import pytest
from babel.messages.catalog import Catalog
from babel.messages.checkers import python_format

from docs import make_catalogs
from forumsvc.pages.languages import moment
from forumsvc.text.languages import LANGUAGES, own_name
from tests.cases import each

TEMPLATES = make_catalogs.PACKAGE / "pages"
# What only programs read has element names alone; the explorer is swagger-ui.
_NOT_PAGES = {"atom.jinja2", "sitemap.jinja2", "explorer.jinja2", "explorer_redirect.jinja2"}
FORUM = [path for path in sorted(TEMPLATES.rglob("*.jinja2")) if path.name not in _NOT_PAGES]
_CODE = re.compile(r"\{% trans.*?endtrans %\}|\{[%{#].*?[%}#]\}", re.DOTALL)
_TAG = re.compile(r"<code>.*?</code>|<[^>]*>|\w+=\"[^\"]*\"")
_VALUE = re.compile(r"%\(\w+\)[sdr]|\{\w+\}|\{[{%].*?[%}]\}|</?\w[^>]*>|`[^`]+`")


def _kept(text: str) -> list[str]:
    """Return what a translation has as the text has it: values, tags and code."""
    return sorted(_VALUE.findall(text))


@each("path", make_catalogs.CATALOGS)
def test_every_text_is_translated_with_its_values_and_tags(path):
    catalog = make_catalogs.read(path)
    assert [one for one in make_catalogs.untranslated() if one.startswith(path.parts[-3])] == []
    for message in catalog:
        if message.id:
            python_format(catalog, message)
            if isinstance(message.id, str):
                assert _kept(str(message.string)) == _kept(message.id), message.id


@each("path", make_catalogs.CATALOGS)
def test_a_catalogue_says_the_name_and_the_direction_of_its_language(path):
    language = path.parts[-3]
    assert re.fullmatch("[a-z]{2,3}", language)
    assert own_name(language) not in {own_name(one) for one in LANGUAGES if one != language}
    direction = make_catalogs.read(path)["left-to-right"].string
    assert direction in ("left-to-right", "right-to-left")


@each("path", make_catalogs.CATALOGS)
def test_each_email_is_translated_with_its_values(path):
    templates = make_catalogs.PACKAGE / "mail" / "templates"
    own = {file.name: file.read_text() for file in (templates / path.parts[-3]).iterdir()}
    english = {file.name: file.read_text() for file in (templates / "en").iterdir()}
    assert {name: set(_VALUE.findall(text)) for name, text in own.items()} == {
        name: set(_VALUE.findall(text)) for name, text in english.items()
    }


@pytest.fixture
def catalog():
    """A catalogue of a language from right to left, of which a part is translated."""
    catalog = Catalog("ar")
    catalog.add("left-to-right", "right-to-left")
    return catalog


def look_up(catalog):
    return GNUTranslations(BytesIO(make_catalogs.compiled(catalog)))


def test_what_is_not_translated_is_in_english(catalog):
    catalog.add("A reply", "")
    catalog.add(("%(num)d reply", "%(num)d replies"), ("x", "x", "x", "", "x", "x"))
    texts = look_up(catalog)
    assert texts.gettext("A reply") == "A reply"
    assert texts.ngettext("%(num)d reply", "%(num)d replies", 2) == "%(num)d replies"


def test_texts_in_a_sentence_from_right_to_left_are_isolated_but_not_in_attributes(catalog):
    catalog.add("%(login)s, %(num)d", "%(num)d: %(login)s.")
    catalog.add('<a href="%(path)s">x</a>', '<a href="%(path)s">y</a>')
    catalog.add("a", "x #0a6a5c. http:// y '.z' /%(most)d</b> 1/2.")
    texts = look_up(catalog)
    isolates = texts.gettext("a").replace("\u2068", "(").replace("\u2069", ")")
    assert isolates == "x (#0a6a5c). (http://) y '(.z)' (/%(most)d)</b> 1/2."
    assert texts.gettext("%(login)s, %(num)d") == "%(num)d: \u2068%(login)s\u2069."
    assert texts.gettext('<a href="%(path)s">x</a>') == '<a href="%(path)s">y</a>'


@each("path", FORUM)
def test_no_text_of_a_template_is_outside_of_the_catalogue(path):
    outside = _TAG.sub("", _CODE.sub("", path.read_text()))
    assert re.findall(r"[^\W\d_]+", outside) == []


@each(
    ("language", "words"),
    [
        ("en", "Sep 3, 2026 04:05 UTC"),
        ("ar", "3 سبتمبر 2026 04:05 UTC"),
        ("zh", "2026年9月3日 04:05 UTC"),
    ],
)
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
