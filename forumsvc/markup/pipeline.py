"""All steps from Markdown to safe HTML. Loads the Markdown libraries: for worker processes."""

from forumsvc.markup import mentions
from forumsvc.markup.postprocess import postprocess
from forumsvc.markup.rendered_text import MAX_HTML
from forumsvc.markup.sanitizer import sanitize, sanitize_author_html
from forumsvc.markup.syntax import MarkdownParser

_EMPTY = "<p></p>"
"""What remains of a paragraph that contained only removed elements."""


class TooLongError(Exception):
    """The HTML of a text is longer than `MAX_HTML` characters."""


class Pipeline:
    """Renders texts, one after another."""

    def __init__(self) -> None:
        self._parser = MarkdownParser()

    def render(self, text: str, own_host: str) -> list[str]:
        """Return the safe HTML of a Markdown text, split at its mentions: HTML, login, …, HTML.

        own_host: `host` or `host:port` of the site; links to other hosts get a `rel`.
        Raises TooLongError, and whatever the libraries raise on hostile text (RecursionError, …).
        """
        html = sanitize_author_html(self._parser.convert(text)).replace(_EMPTY, "").strip()
        html = sanitize(postprocess(html, own_host))
        if len(html) > MAX_HTML:
            raise TooLongError
        return mentions.split_at_mentions(html)
