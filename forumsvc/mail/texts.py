"""The texts of emails, from templates of plain text."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

_SUBJECT = "Subject: "


def render(kind: str, language: str, **values: str) -> tuple[str, str]:
    """Return the subject and the text of an email. kind: the name of its template.

    language: one of `settings.pages.LANGUAGES`. A line break in a value cannot end the subject: it
    becomes a blank.
    """
    shown = {name: " ".join(value.split()) for name, value in values.items()}
    text = _templates().get_template(f"{language}/{kind}.txt").render(shown)
    subject, _, body = text.partition("\n\n")
    return subject.removeprefix(_SUBJECT), f"{body}\n"


@cache
def _templates() -> Environment:
    # Plain text, in which nothing has to be escaped.
    loader = PackageLoader("forumsvc.mail")
    return Environment(loader=loader, undefined=StrictUndefined, autoescape=False)  # noqa: S701
