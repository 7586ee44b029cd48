"""A person's login and addresses in stored texts: replaced when the person is erased, and the links
of mentions when the login changes.
"""

import re
from collections.abc import Callable, Sequence
from html import escape
from urllib.parse import quote

Rewrite = Callable[[str], str]
"""Returns a text, or HTML, as it is to be stored."""

_END = r"(?![A-Za-z0-9_.-]*[A-Za-z0-9_])"
"""Behind a login, which is not the beginning of a longer one."""


def mentions(login: str, html: str) -> bool:
    """Return whether a rendered text has a mention of a login, whatever the case."""
    return f'class="user-mention">@{login.lower()}</a>' in html.lower()


def erase_login(
    login: str,
    addresses: Sequence[str],
    site_url: str,
    new_login: str,
    *,
    is_mentioned: bool = True,
) -> Rewrite:
    """Return what replaces a person's login and addresses in texts, whatever the case.

    `@login` becomes plain `@new_login`, also where it was a link; in links to the person's page the
    login is replaced; so is each of `addresses`, which are email addresses. Other words that equal
    the login stay: it may be any word. site_url: `site.url`, may be empty; is_mentioned: False
    where `@login` is something else, such as a decorator in code, and stays.
    """
    written, new = re.escape(login), f"@{new_login}"
    own = [re.escape(each) for each in (site_url.rstrip("/"), escape(site_url.rstrip("/"))) if each]
    page = "|".join([*dict.fromkeys(own), r"\]\(<?", 'href="'])
    of_mentions = [
        (rf'<a href="[^"]*" class="user-mention">@{written}</a>', new),
        (rf"(?<![A-Za-z0-9_@/+])@{written}{_END}", new),
    ]
    patterns = [
        *(of_mentions if is_mentioned else ()),
        (rf"((?:{page})(?:/api/v3)?(?:/users)?/){written}{_END}", rf"\g<1>{new_login}"),
        *(
            (rf"(?<![A-Za-z0-9_.+-]){re.escape(form)}(?![A-Za-z0-9_-])", new)
            for each in addresses
            for form in dict.fromkeys([each, escape(each)])
        ),
    ]
    compiled = [(re.compile(pattern, re.IGNORECASE), by) for pattern, by in patterns]

    def rewrite(text: str) -> str:
        for pattern, by in compiled:
            text = pattern.sub(by, text)
        return text

    return rewrite


def link_to(login: str, user_url: str, new_login: str) -> Rewrite:
    """Return what gives the mentions of a login in HTML the link of its new one; the words stay.

    user_url: `site.user_url`.
    """
    link = re.compile(
        rf'<a href="[^"]*" class="user-mention">(@{re.escape(login)})</a>', re.IGNORECASE
    )
    href = escape(user_url.replace("{login}", quote(new_login, safe="")))

    def rewrite(html: str) -> str:
        return link.sub(lambda found: f'<a href="{href}" class="user-mention">{found[1]}</a>', html)

    return rewrite
