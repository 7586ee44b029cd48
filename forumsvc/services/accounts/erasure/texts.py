"""The steps that rewrite stored texts: of all tables at an erasure, of links at a renaming."""

import math
import re
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from html import escape
from typing import Any

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import Session

from ....cache import topic_versions
from ....cache.invalidation import update_columns, update_without_invalidation
from ....db.statements import update_of, with_row_locks
from ....markup.mention_links import mention_link, mention_links, replace_mentions
from ....markup.rendered_text import MAX_HTML
from ....models import (
    PROFILE_TEXTS,
    AccessBlock,
    HeldPost,
    IdempotencyKey,
    Node,
    Notification,
    PostVersion,
    Reply,
    Report,
    Restriction,
    Review,
    Sweep,
    Topic,
    User,
)
from ....search.normal_form import name_key
from ...posts.nodes import MAX_SUMMARY
from ...posts.purge import record_text_changed
from ..account_work import Account, Step, Steps, by_scan, deletion
from ..accounts import MAX_NAME

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
    own_addresses = [f"(?:https?:)?{re.escape(each)}" for each in (site, escape(site)) if each]
    page = "|".join([*dict.fromkeys(own_addresses), r"\]\(<?", r"\]:[ \t]*<?", 'href="', 'src="'])
    at_login = "|".join(map(re.escape, mentioned_as))
    slugs = "|".join(re.sub("[^a-z0-9_-]", "", name.lower()) for name in mentioned_as)
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
            for address in addresses
            for form in dict.fromkeys([address, escape(address)])
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


_POSTS_AT_ONCE, _ROWS_AT_ONCE = 20, 100
_IN_FLIGHT = timedelta(seconds=5)
"""So long after the order a post may be stored whose mentions were looked up before it."""

_WITH_HTML: tuple[Any, ...] = (Topic, Reply, PostVersion)
_TEXTS: dict[Any, tuple[str, ...]] = {
    Topic: ("title", "body", "body_html"),
    Reply: ("body", "body_html"),
    PostVersion: ("title", "body", "body_html"),
    User: ("name", "blocked_reason", *(text.name for text in PROFILE_TEXTS)),
    HeldPost: ("title", "body"),
    Report: ("comment", "text"),
    Review: ("reason",),
    Restriction: ("reason", "note"),
    Notification: ("details",),
    AccessBlock: ("reason",),
    Sweep: ("reason",),
    Node: ("summary",),
}
"""The columns in which people write. The audit log cannot be changed."""

_SHORTER_LOGINS = ("deleted", "\N{HORIZONTAL ELLIPSIS}")
"""In place of the new login where a text has no room for it. The last one always fits."""
_MAX_LENGTHS: dict[Any, int] = {
    User.name: MAX_NAME,
    **{getattr(User, text.name): text.max_length for text in PROFILE_TEXTS},
    **dict.fromkeys((model.body_html for model in _WITH_HTML), MAX_HTML),
    Node.summary: MAX_SUMMARY,
}


def _max_length(account: Account, column: Any) -> float:
    limits = {"title": account.max_title, "body": account.max_body}
    if column.key in limits:
        return limits[column.key]
    return _MAX_LENGTHS.get(column, getattr(column.type, "length", None) or math.inf)


def _erased(account: Account, row: Any) -> list[Rewrite]:
    # Of a post it is known what it mentions. Whoever registers `override`, and is erased, must not
    # change the code of others.
    html = getattr(row, "body_html", None)
    names = {account.login}
    if html is not None:
        names = mentioned_as(account.login, html, account.user_url)
    known = (account.login, account.addresses, account.site_url)
    return [
        erase_login(*known, new_login, mentioned_as=names)
        for new_login in (account.new_login, *_SHORTER_LOGINS)
    ]


def _renamed(account: Account, row: Any) -> list[Rewrite]:
    return [link_to(account.login, account.user_url, account.new_login)]


def _rewritten(
    account: Account, columns: Sequence[Any], row: Any, rewrites: Sequence[Rewrite]
) -> dict[str, str]:
    """Return what changes of a row, by the first rewrite after which every text fits."""
    before = {column: getattr(row, column.key) for column in columns if getattr(row, column.key)}
    for rewrite in rewrites:
        new = {column: rewrite(text) for column, text in before.items()}
        if all(
            len(text) <= max(len(before[column]), _max_length(account, column))
            for column, text in new.items()
        ):
            return {one.key: text for one, text in new.items() if text != before[one]}
    return {}


def _holds(model: Any, names: Sequence[str], account: Account) -> ColumnElement[bool]:
    """Return the condition that a text may hold what is to be replaced."""
    page = account.user_url.replace("{login}", account.login)
    words = {f"@{account.login}", f"/{account.login}", escape(page), *account.addresses}
    if model is IdempotencyKey:
        words.add(f'"{account.login}"')
    columns = [getattr(model, name) for name in names]
    holds_word = or_(
        *(column.icontains(word, autoescape=True) for column in columns for word in sorted(words))
    )
    # Somebody else may have the login by now, and others may have written the word before.
    first_written = getattr(model, "created_at", None)
    if first_written is None:
        return holds_word
    is_before = first_written <= account.since + _IN_FLIGHT
    if model is AccessBlock:
        # A block is given another reason, and nothing tells when.
        return and_(is_before, holds_word)
    last_written = getattr(model, "updated_at", first_written)
    return and_(is_before, last_written >= account.joined, holds_word)


def _step(
    model: Any,
    names: tuple[str, ...],
    rewriting: Callable[[Account, Any], Sequence[Rewrite]],
    *,
    tells: bool,
) -> Step:
    """Return the step that rewrites columns. tells: whether events say that a post has changed."""
    columns = [getattr(model, name) for name in names]
    ids = [Reply.topic_id] if model is Reply else []

    def change(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
        if model is Reply:
            lock_topics_of(db, keys)
        query = select(model.id, *ids, *columns).where(model.id.in_(keys)).order_by(model.id)
        for row in db.execute(with_row_locks(query, model)).all():
            changed = _rewritten(account, columns, row, rewriting(account, row))
            if not changed:
                continue
            if model is User:
                if "name" in changed:
                    changed["name_key"] = name_key(changed["name"])
                statement = update_columns(User, **changed)
            elif model is Topic or model is Node:
                statement = update_of(model).values(changed)
            else:
                statement = update_without_invalidation(model).values(changed)
            db.execute(statement.where(model.id == row.id))
            if model is Reply:
                topic_versions.bump(db, row.topic_id)
            if tells:
                record_text_changed(
                    db, now, model, row.id, row.topic_id if model is Reply else row.id
                )

    def condition(account: Account) -> ColumnElement[bool]:
        return _holds(model, names, account)

    size = _POSTS_AT_ONCE if model in _WITH_HTML else _ROWS_AT_ONCE
    return Step(by_scan(model, condition), change, size)


def lock_topics_of(db: Session, reply_ids: Sequence[int]) -> None:
    """Lock the topics of replies, in the order of their ids: before the replies, as everywhere."""
    topic_ids = select(Reply.topic_id).where(Reply.id.in_(reply_ids))
    topics = select(Topic.id).where(Topic.id.in_(topic_ids)).order_by(Topic.id)
    db.execute(with_row_locks(topics, Topic)).all()


def _names_them(account: Account) -> ColumnElement[bool]:
    return _holds(IdempotencyKey, ("body",), account)


TEXT_STEPS: Steps = {
    **{
        f"texts of {model.__tablename__}": _step(
            model, names, _erased, tells=model in (Topic, Reply)
        )
        for model, names in _TEXTS.items()
    },
    "answers to others": deletion(IdempotencyKey, _names_them),
}
RENAMING_STEPS: Steps = {
    f"links of {model.__tablename__}": _step(model, ("body_html",), _renamed, tells=False)
    for model in _WITH_HTML
}
