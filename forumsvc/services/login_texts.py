"""A person's login and addresses in stored texts: replaced when the person is erased, and the links
of mentions when the login changes.
"""

import re
from collections.abc import Callable, Collection, Sequence
from html import escape

from ..markup.mention_links import mention_link, mention_links, replace_mentions

Rewrite = Callable[[str], str]
"""Returns a text, or HTML, as it is to be stored."""

_END = r"(?![A-Za-z0-9_.-]*[A-Za-z0-9_])"
"""Behind a login, which is not the beginning of a longer one."""


def erase_login(
    login: str,
    addresses: Sequence[str],
    site_url: str,
    new_login: str,
    *,
    mentioned_as: Collection[str],
) -> Rewrite:
    """Return what replaces a person's login and addresses in texts, whatever the case.

    In links to the person's page and picture the login is replaced; so is each of `addresses`,
    which are email addresses. Other words that equal the login stay: it may be any word. site_url:
    `site.url`, may be empty; mentioned_as: the logins of which `@login`, also as a link or in the
    id of a heading, becomes plain `@new_login`: without any it is something else, such as a
    decorator in code.
    """
    written, new = re.escape(login), f"@{new_login}"
    site = re.sub("^https?:", "", site_url.rstrip("/"))
    own = [f"(?:https?:)?{re.escape(each)}" for each in (site, escape(site)) if each]
    page = "|".join([*dict.fromkeys(own), r"\]\(<?", r"\]:[ \t]*<?", 'href="', 'src="'])
    at_login = "|".join(map(re.escape, mentioned_as))
    slugs = "|".join(re.sub("[^a-z0-9_-]", "", each.lower()) for each in mentioned_as)
    of_mentions = [
        (rf'<a href="[^"]*" class="user-mention">@(?:{at_login})</a>', new),
        (rf"(?<![A-Za-z0-9_@/+])@(?:{at_login}){_END}", new),
        (
            rf'(\b(?:id="|href="#)user-content-(?:[^"]*-)?)(?:{slugs})(?=[-_"])',
            rf"\g<1>{new_login}",
        ),
    ]
    patterns = [
        *(of_mentions if mentioned_as else ()),
        (rf"((?:{page})(?:/api/v3)?(?:/users)?/){written}{_END}", rf"\g<1>{new_login}"),
        (rf"((?:{page})/avatars/){written}(?=\.svg)", rf"\g<1>{new_login}"),
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


def mentioned_as(login: str, html: str, user_url: str) -> set[str]:
    """Return by which logins, in lower case, a rendered text mentions the user with a login.

    A link to the page of that user makes `@login` a mention, too. user_url: `site.user_url`.
    """
    links = mention_links(html, user_url)
    written = {link.written.lower() for link in links if link.login.lower() == login.lower()}
    page = rf'href="(?:/users)?/{re.escape(login)}"(?! class="user-mention")'
    return written | ({login.lower()} if re.search(page, html, re.IGNORECASE) else set())


def link_to(login: str, user_url: str, new_login: str) -> Rewrite:
    """Return what gives the mentions of a user in HTML the link of a new login; the words stay.

    user_url: `site.user_url`.
    """

    def rewrite(html: str) -> str:
        return replace_mentions(
            html, login, user_url, lambda link: mention_link(link.written, new_login, user_url)
        )

    return rewrite
