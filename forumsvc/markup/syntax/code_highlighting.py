"""Highlights fenced code with the CSS classes of Pygments."""

import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape
from typing import Any

from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_by_name
from pygments.util import ClassNotFound

MAX_LENGTH = 20_000
"""Characters; a longer code block is not highlighted, because lexers are slow."""

MAX_CPU_SECONDS = 0.3
"""Processor time of the lexers for one text; code that is left then is not highlighted."""

_TOKENS_BETWEEN_CHECKS = 500


class _SlowLexerError(Exception):
    """The time for highlighting is used up."""


class CodeFormatter:
    """Highlights the code blocks of one text after another."""

    def __init__(self) -> None:
        self._formatter: HtmlFormatter[str] = HtmlFormatter(nowrap=True)
        self._seconds_left = MAX_CPU_SECONDS

    def reset(self) -> None:
        """Start a new text."""
        self._seconds_left = MAX_CPU_SECONDS

    def __call__(self, source: str, language: str, *_: Any, **__: Any) -> str:
        """Return a code block's HTML, in the form that pymdownx's superfences call it.

        source: the code; language: the first word after the fence, "" for none.
        """
        code = self._highlight(source, language) or escape(source, quote=False)
        name = f' class="language-{escape(language)}"' if language else ""
        newline = "" if not code or code.endswith("\n") else "\n"
        return f'<pre class="highlight"><code{name}>{code}{newline}</code></pre>'

    def _highlight(self, source: str, language: str) -> str | None:
        if not (source and language) or len(source) > MAX_LENGTH:
            return None
        try:
            lexer = _lexer_class(language)(stripnl=False)
            buffer = _Buffer()
            self._formatter.format(self._limit_time(lexer.get_tokens(source)), buffer)
        except (ClassNotFound, _SlowLexerError):
            return None
        return "".join(buffer.written)

    def _limit_time(self, tokens: Iterable[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
        deadline = time.process_time() + self._seconds_left
        for number, token in enumerate(tokens):
            if number % _TOKENS_BETWEEN_CHECKS == 0 and time.process_time() > deadline:
                self._seconds_left = 0.0
                raise _SlowLexerError
            yield token
        self._seconds_left = max(0.0, deadline - time.process_time())


# Pygments searches all its names on each call.
@lru_cache(256)
def _lexer_class(language: str) -> type[Lexer]:
    return find_lexer_class_by_name(language)


class _Buffer:
    """The part of the file interface that a formatter uses."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.write = self.written.append
