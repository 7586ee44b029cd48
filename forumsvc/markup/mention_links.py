"""The links of mentions in stored HTML, by whom they lead to.

Who has changed the login is mentioned by a former one, which somebody else may have by now: the
address of the link says who is meant, its words say what the author wrote.
"""

import html
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote, unquote

_LINK = re.compile(r'<a href="([^"]*)" class="user-mention">@([^<]*)</a>')


class MentionLink(NamedTuple):
    """written: the login in the text; login: of the user to whom the link leads."""

    written: str
    login: str


def mention_link(written: str, login: str, user_url: str) -> str:
    """Return the HTML of a mention. user_url: the address of a user's page, with `{login}`."""
    href = html.escape(user_url.replace("{login}", quote(login, safe="")))
    return f'<a href="{href}" class="user-mention">@{html.escape(written)}</a>'


def mention_links(stored: str, user_url: str) -> Iterator[MentionLink]:
    """Yield the mentions of stored HTML."""
    for match in _LINK.finditer(stored):
        yield _read(match, user_url)


def replace_mentions(
    stored: str, login: str, user_url: str, replace: Callable[[MentionLink], str]
) -> str:
    """Return stored HTML in which the mentions of a user, by the present login, are replaced."""

    def replaced(match: re.Match[str]) -> str:
        link = _read(match, user_url)
        return replace(link) if link.login.lower() == login.lower() else match[0]

    return _LINK.sub(replaced, stored)


def mentioned_logins(stored: str, user_url: str) -> dict[str, str]:
    """Return whom stored HTML mentions: the login as written, in lower case -> the present one."""
    return {link.written.lower(): link.login for link in mention_links(stored, user_url)}


def _read(match: re.Match[str], user_url: str) -> MentionLink:
    before, _, behind = user_url.partition("{login}")
    href, written = html.unescape(match[1]), html.unescape(match[2])
    if not (href.startswith(before) and href.endswith(behind)):
        return MentionLink(written, written)  # made with another `site.user_url`
    return MentionLink(written, unquote(href[len(before) : len(href) - len(behind)]))
