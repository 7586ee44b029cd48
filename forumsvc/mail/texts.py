"""The texts of emails, from templates of plain text."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from ..text.languages import is_right_to_left
from ..text.messages import isolated

_SUBJECT = "Subject: "
_ADDRESSES = frozenset({"link", "url", "webhook"})
"""What is copied from an email, and has nothing around it that would change places with it."""


def render(kind: str, language: str, **values: str) -> tuple[str, str]:
    """Return the subject and the text of an email. kind: the name of its template.

    language: one of `text.languages.LANGUAGES`; what it has no template of is in English. A line
    break in a value cannot end the subject: it becomes a blank.
    """
    shown = {name: " ".join(value.split()) for name, value in values.items()}
    if is_right_to_left(language):
        phrases = {name: text for name, text in shown.items() if text and name not in _ADDRESSES}
        shown |= {name: isolated(text) for name, text in phrases.items()}
    names = [f"{one}/{kind}.txt" for one in (language, "en")]
    text = _templates().select_template(names).render(shown)
    subject, _, body = text.partition("\n\n")
    return subject.removeprefix(_SUBJECT), f"{body}\n"


@cache
def _templates() -> Environment:
    # Plain text, in which nothing has to be escaped.
    loader = PackageLoader("forumsvc.mail")
    return Environment(loader=loader, undefined=StrictUndefined, autoescape=False)  # noqa: S701
