"""Makes the catalogues of the pages' texts: `make generated`.

New texts are added to each forumsvc.po, untranslated; those that no template has are removed; the
forumsvc.mo that the service reads is compiled.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from forumsvc.text.messages import isolated

PACKAGE = Path(__file__).parents[1] / "forumsvc"
CATALOGS = sorted((PACKAGE / "locale").glob("*/LC_MESSAGES/forumsvc.po"))
_TEMPLATES, _CODE = "**/templates/**.jinja2", "**.py"
_METHODS = [(_TEMPLATES, "jinja2"), (_CODE, "python")]
_OPTIONS = {_TEMPLATES: {"newstyle_gettext": "true", "trimmed": "true", "silent": "false"}}
_FOR_ADMINISTRATORS = ("background", "cli", "demo", "doctor", "settings", "outgoing")
"""The folders whose texts no page shows."""
_IN_CODE: dict[str, tuple[int, ...] | None] = {
    **dict.fromkeys(("Message", "Clause", "too_many"), (1,)),
    **dict.fromkeys(("Forbidden", "NotFound", "Gone", "RateLimited", "Unavailable"), (1,)),
    **dict.fromkeys(("BadToken", "Unauthenticated", "PreconditionFailed"), (1,)),
    **dict.fromkeys(("Invalid", "AlreadyTaken", "refuse"), (2,)),
}
"""Which argument of a call is a text; see `forumsvc.text.messages`."""
_LEFT_TO_RIGHT = re.compile(
    r'(?<!=")%\(\w+\)[sr]|https?://|(?<![A-Za-z0-9"=<:/])[#/.][A-Za-z0-9%][A-Za-z0-9%()_]*'
)
"""Where a text stands for a value in a sentence, but not in an attribute of HTML; and words of
programs that begin or end with a sign."""
_NO_TIME = datetime(2000, 1, 1, tzinfo=UTC)
_HEADER = """\
# The texts of the pages in this language. `make generated` adds new ones and compiles.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Language: {locale}\\n"
"Plural-Forms: {plural_forms}\\n"

"""


def extract() -> Catalog:
    """Return the texts of all templates, and of the code whose messages pages show."""
    found = Catalog()
    keywords = {**DEFAULT_KEYWORDS, **_IN_CODE}
    for name, _, message, _, _ in extract_from_dir(PACKAGE, _METHODS, _OPTIONS, keywords):
        if message and Path(name).parts[0] not in _FOR_ADMINISTRATORS:
            found.add(message)
    return found


def updated(catalog: Catalog, texts: Catalog) -> bytes:
    """Return a forumsvc.po with exactly these texts, and the translations of `catalog`."""
    catalog.update(texts, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    body = BytesIO()
    write_po(body, catalog, width=0, omit_header=True, sort_output=True)
    header = _HEADER.format(locale=catalog.locale_identifier, plural_forms=catalog.plural_forms)
    return header.encode() + body.getvalue()


def compiled(catalog: Catalog) -> bytes:
    """Return the forumsvc.mo of a catalogue.

    It lacks what is not translated, which is then in English. In a language that is written from
    right to left each value of a sentence is isolated, and what programs write with a sign.
    """
    finished = Catalog(catalog.locale, charset="utf-8")
    finished.mime_headers = catalog.mime_headers
    isolates = catalog["left-to-right"].string == "right-to-left"
    for message in catalog:
        entry = message.string
        if message.id and entry and _is_translated(message):
            finished.add(message.id, _with_isolates(entry) if isolates else entry)
    file = BytesIO()
    # Else the header would have the time of now.
    finished.creation_date = finished.revision_date = _NO_TIME
    write_mo(file, finished)
    return file.getvalue()


def _is_translated(message: Message) -> bool:
    """Return whether a text has a translation, in all forms of a plural."""
    entry = message.string
    return bool(entry) if isinstance(entry, str) else all(entry or [""])


def _with_isolates(entry: str | Sequence[str]) -> str | tuple[str, ...]:
    if isinstance(entry, str):
        return _LEFT_TO_RIGHT.sub(lambda found: isolated(found[0]), entry)
    return tuple(str(_with_isolates(form)) for form in entry)


def read(path: Path) -> Catalog:
    """Return a forumsvc.po."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parts[-3])


def made() -> Iterator[tuple[Path, bytes]]:
    """Yield the files of all catalogues, each with what it should be."""
    texts = extract()
    for path in CATALOGS:
        catalog = read(path)
        yield path, updated(catalog, texts)
        yield path.with_suffix(".mo"), compiled(catalog)


def untranslated() -> Iterator[str]:
    """Yield the texts that a catalogue lacks, with its name."""
    for path in CATALOGS:
        for message in read(path):
            if message.id and not _is_translated(message):
                yield f"{path.parts[-3]}: {message.id}"
