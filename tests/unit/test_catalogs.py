"""The translations of the pages are complete, and compiled."""

import re
from datetime import UTC, datetime
from pathlib import Path

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
def test_every_text_is_translated(path: Path) -> None:
    catalog = make_catalogs.read(path)
    for message in catalog:
        if message.id:
            assert message.string, message.id
            assert all(message.string), message.id
            python_format(catalog, message)


@each("path", FORUM)
def test_no_text_of_a_template_is_outside_of_the_catalogue(path: Path) -> None:
    outside = _TAG.sub("", _CODE.sub("", path.read_text()))
    assert re.findall(r"[^\W\d_]+", outside) == []


@each(("language", "words"), [("en", "Sep 3, 2026 04:05 UTC"), ("zh", "2026年9月3日 04:05 UTC")])
def test_a_time_is_written_as_in_the_language(language: str, words: str) -> None:
    assert moment(language, datetime(2026, 9, 3, 4, 5, tzinfo=UTC)) == words
