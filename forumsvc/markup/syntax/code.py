"""Fenced code with the classes of Pygments."""

from html import escape
from typing import Any

from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

MAX_HIGHLIGHTED = 20_000
"""Characters of a code block above which it stays plain: lexers are slow."""

_FORMATTER: HtmlFormatter[str] = HtmlFormatter(nowrap=True)


def format_code(source: str, language: str, *_: Any, **__: Any) -> str:
    """Return a code block's HTML, as pymdownx's superfences ask for it.

    source: the code; language: the first word after the fence, "" for none.
    """
    code = _highlighted(source, language) or escape(source, quote=False)
    name = f' class="language-{escape(language)}"' if language else ""
    newline = "" if not code or code.endswith("\n") else "\n"
    return f'<pre class="highlight"><code{name}>{code}{newline}</code></pre>'


def _highlighted(source: str, language: str) -> str | None:
    if not language or len(source) > MAX_HIGHLIGHTED:
        return None
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return None
    return highlight(source, lexer, _FORMATTER)
