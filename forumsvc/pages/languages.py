"""The languages of the pages: what the reader chose, else `Accept-Language`, `site.language`."""

from datetime import datetime
from typing import Any

from jinja2 import pass_context
from markupsafe import Markup
from pyramid.config import Configurator
from pyramid.threadlocal import get_current_request
from pyramid_jinja2.i18n import GetTextWrapper

from ..text.languages import DOMAIN, LANGUAGES, date_in_words, is_right_to_left
from ..text.messages import Clause, Message, Time
from ..web.api.request import ForumRequest
from .display import display_of


class CachedTexts(GetTextWrapper):
    """The texts of templates, each looked up in its catalogue once; see pyramid_jinja2."""

    def __init__(self, domain: str) -> None:
        super().__init__(domain)
        self._entries: dict[tuple[str, str], str] = {}

    def gettext(self, message: str, mapping: Any = None) -> str:
        """Return a text in the language of the current request."""
        request = get_current_request()
        key = request.locale_name, message
        entry = self._entries.get(key)
        if entry is None:
            entry = request.localizer.translate(message, domain=self.domain)
            self._entries[key] = entry
        return entry


def choose_language(request: ForumRequest) -> str:
    """Return the language for a request, one of LANGUAGES (RFC 4647 §3.4)."""
    if chosen := display_of(request).language:
        return chosen
    default = request.settings["site.language"]
    result: str = request.accept_language.lookup(language_tags=[*LANGUAGES], default=default)
    return result


def direction(request: ForumRequest) -> str:
    """Return the direction in which the language of a request is written, for `dir`."""
    return "rtl" if is_right_to_left(request.locale_name) else "ltr"


def moment(language: str, time: datetime) -> str:
    """Return a time: Dec 3, 2026 14:05 UTC. A script shows it in the reader's zone."""
    return f"{short_day(language, time)} {time:%H:%M} UTC"


def short_day(language: str, time: datetime) -> str:
    """Return a date: Dec 3, 2026."""
    return date_in_words(language, time, is_short=True)


@pass_context
def day(context: Any, time: datetime) -> str:
    """Return a date in words: December 3, 2026."""
    return date_in_words(context["request"].locale_name, time)


@pass_context
def translated(context: Any, text: str) -> str:
    """Return a text of the code in the language of the page; see `forumsvc.text.messages`."""
    return in_language(context["request"], text)


@pass_context
def sentence(context: Any, reason: str, field: str) -> str:
    """Return what is wrong with a field as a sentence; see `as_sentence`."""
    return as_sentence(context["request"], field, reason)


def as_sentence(request: ForumRequest, field: str, reason: str) -> str:
    """Return why a field is wrong as a sentence in the language of a request.

    field: its label; reason: as of `Invalid`, what the field must be or is, or a Clause.
    """
    translation = in_language(request, reason)
    if isinstance(reason, Clause):
        text = in_language(request, Message("%(reason)s.", reason=translation))
    else:
        message = Message("%(field)s %(reason)s.", field=field, reason=translation)
        text = in_language(request, message)
    return text[:1].upper() + text[1:]


def in_language(request: ForumRequest, text: str) -> str:
    """Return a text of the code in the language of a request.

    A Time among its values becomes an element. A text without values need not be a Message:
    `make generated` finds it where it is raised.
    """
    if not text:
        return text
    msgid = text.msgid if isinstance(text, Message) else text
    entry: str = request.localizer.translate(msgid, domain=DOMAIN)
    if not isinstance(text, Message) or not text.values:
        return entry
    values = {name: _value(request, value) for name, value in text.values.items()}
    if any(isinstance(value, Markup) for value in values.values()):
        # The entry is ours, and its values are escaped.
        entry = Markup(entry)  # noqa: S704
    return entry % values


def _value(request: ForumRequest, value: Any) -> Any:
    """Return a value of a Message as a page shows it."""
    if isinstance(value, Message):
        return in_language(request, value)
    if isinstance(value, Time):
        words = moment(request.locale_name, datetime.fromisoformat(value))
        return Markup('<time datetime="%s">%s</time>') % (value, words)
    return value


def includeme(config: Configurator) -> None:
    """Register the catalogues and the choice of the language."""
    config.add_translation_dirs("forumsvc:locale")
    config.set_locale_negotiator(choose_language)
