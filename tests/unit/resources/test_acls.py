"""The permissions that each ACL grants, on made-up rows and without a database."""

from itertools import product

import pytest

from forumsvc.permissions import NodePermission, ReplyPermission, TopicPermission, UserPermission
from forumsvc.resources.nodes import Nodes
from forumsvc.resources.topics import Topics
from forumsvc.security.identity import Identity
from forumsvc.security.policy import granted
from tests.unit.resources import tree
from tests.unit.resources.tree import AUTHOR, OTHER, identity

LEVELS = ("newbie", "member", "vip", "maintainer", "admin", "blocked")
CALLERS: list[Identity | None] = [
    None,
    identity(None),
    *(identity(level, user_id) for level, user_id in product(LEVELS, (AUTHOR, OTHER))),
]
MODERATORS = ("maintainer", "admin")
TOPIC_WORDS = [word for word in TopicPermission if word != TopicPermission.CREATE]


def may_do_with_topic(caller: Identity | None, word: str, state: str) -> bool:
    """Return the permissions on a topic of AUTHOR, from the access table."""
    if caller is None or caller.user_id is None or caller.level == "blocked":
        return False
    hidden = "banned" in state or "deleted" in state
    is_moderator = caller.level in MODERATORS
    is_author = caller.user_id == AUTHOR and not hidden
    match word:
        case "act":
            return True
        case "follow" | "favorite" | "like":
            return is_moderator or not hidden
        case "reply":
            return not hidden and (is_moderator or "closed" not in state)
        case "update" | "close":
            return is_moderator or is_author
        case "open":
            return is_moderator or (is_author and state != "closed by another")
        case "destroy":
            return is_moderator or (is_author and state != "answered")
    return is_moderator


@pytest.mark.parametrize("state", tree.TOPIC_STATES)
@pytest.mark.parametrize("word", TOPIC_WORDS)
def test_a_topic_grants_what_the_table_says(state: str, word: str) -> None:
    for caller in CALLERS:
        topic = tree.topic(caller, **tree.TOPIC_STATES[state])
        assert granted(caller, topic, word) is may_do_with_topic(caller, word, state), caller


@pytest.mark.parametrize("state", tree.TOPIC_STATES)
def test_a_topic_is_visible_to_those_in_the_table(state: str) -> None:
    for caller in CALLERS:
        is_author = caller is not None and caller.user_id == AUTHOR
        is_moderator = caller is not None and caller.level in MODERATORS
        deleted, banned = "deleted" in state, "banned" in state
        sees = is_moderator or (not deleted and (is_author or not banned))
        assert granted(caller, tree.topic(caller, **tree.TOPIC_STATES[state]), "view") is sees


def may_do_with_reply(caller: Identity | None, word: str, state: str) -> bool:
    """Return the permissions on a reply of AUTHOR, from the access table."""
    if caller is None or caller.user_id is None or caller.level == "blocked":
        return False
    if state == "deleted":
        return caller.level in MODERATORS and word == "destroy"
    hidden = "banned" in state or "deleted" in state
    if caller.level in MODERATORS:
        return True
    if word == "like":
        return not hidden
    return caller.user_id == AUTHOR and not hidden and "closed" not in state


@pytest.mark.parametrize("state", tree.REPLY_STATES)
@pytest.mark.parametrize("word", ReplyPermission)
def test_a_reply_grants_what_the_table_says(state: str, word: str) -> None:
    for caller in CALLERS:
        reply = tree.reply(caller, **tree.REPLY_STATES[state])
        assert granted(caller, reply, word) is may_do_with_reply(caller, word, state), caller


@pytest.mark.parametrize(
    ("topic_user", "sees"), [(AUTHOR, {AUTHOR}), (OTHER, {OTHER})], ids=["own topic", "another's"]
)
def test_a_reply_to_a_banned_topic_is_visible_to_the_topics_author(
    topic_user: int, sees: set[int]
) -> None:
    for user_id in (AUTHOR, OTHER):
        caller = identity("member", user_id)
        reply = tree.reply(caller, topic_user_id=topic_user, topic_banned_at=tree.THEN)
        assert granted(caller, reply, "view") is (user_id in sees)


def may_do_with_user(caller: Identity | None, word: str, state: str) -> bool:
    """Return the permissions on the user AUTHOR, from the access table."""
    if word == "register":
        return True  # the container's word: it is everybody's, and says nothing of this user
    if caller is None or caller.user_id is None:
        return False
    if word in ("view_blocked", "view_likes", "view_email"):
        return caller.user_id == AUTHOR or (word == "view_email" and caller.level == "admin")
    if caller.level == "blocked":
        return False
    if word == "update":
        return caller.user_id == AUTHOR
    if word == "destroy":
        return caller.user_id == AUTHOR or caller.level == "admin"
    return caller.user_id != AUTHOR and (state != "deleted" or word in ("unfollow", "unblock"))


@pytest.mark.parametrize("state", ["active", "blocked", "deleted"])
@pytest.mark.parametrize("word", UserPermission)
def test_a_user_grants_what_the_table_says(state: str, word: str) -> None:
    for caller in CALLERS:
        user = tree.user(caller, state=state)
        assert granted(caller, user, word) is may_do_with_user(caller, word, state), caller


def test_a_public_email_is_visible_to_everybody() -> None:
    for caller in CALLERS:
        assert granted(caller, tree.user(caller, email_public=True), "view_email")


def test_active_users_except_newbies_may_create_topics() -> None:
    for caller in CALLERS:
        topics = Topics(tree.root(caller), "topics")
        is_user = caller is not None and caller.user_id is not None
        level = caller.level if caller is not None else None
        expected = is_user and level not in ("blocked", "newbie")
        assert granted(caller, topics, TopicPermission.CREATE) is expected


@pytest.mark.parametrize("word", NodePermission)
def test_maintainers_and_admins_may_manage_nodes(word: str) -> None:
    for caller in CALLERS:
        expected = caller is not None and caller.level in MODERATORS
        assert granted(caller, Nodes(tree.root(caller), "nodes"), word) is expected


def test_an_acl_runs_no_query() -> None:
    # `tree.NoDatabaseRequest` fails as soon as one is made.
    assert all(isinstance(context.__acl__(), list) for context in tree.every_context())
