"""What ACLs grant beyond the access matrix, on made-up rows and without a database.

The matrix (`tests/functional/access_matrix.yaml`) has every endpoint and every ability of every
kind of caller.
"""

from itertools import product

from forumsvc.permissions import ReplyPermission, TopicPermission, UserPermission
from forumsvc.resources.topics import Topics
from forumsvc.security.identity import Identity
from forumsvc.security.policy import granted
from tests.cases import each
from tests.unit.resources import tree
from tests.unit.resources.tree import AUTHOR, OTHER, identity

LEVELS = ("newbie", "member", "vip", "maintainer", "admin", "blocked")
CALLERS: list[Identity | None] = [
    None,
    identity(None),
    *(identity(level, user_id) for level, user_id in product(LEVELS, (AUTHOR, OTHER))),
]


@each("word", TopicPermission)
def test_a_topic_that_is_banned_and_deleted_grants_what_a_deleted_one_does(word: str) -> None:
    for caller in CALLERS:
        deleted, both = (
            tree.topic(caller, **tree.TOPIC_STATES[state])
            for state in ("deleted", "banned and deleted")
        )
        assert granted(caller, both, word) is granted(caller, deleted, word), caller


def test_a_vip_is_granted_what_a_member_is() -> None:
    words = [*TopicPermission, *ReplyPermission, *UserPermission]
    for user_id, word in product((AUTHOR, OTHER), words):
        member, vip = identity("member", user_id), identity("vip", user_id)
        for asked, same in zip(tree.items(member), tree.items(vip), strict=True):
            assert granted(vip, same, word) is granted(member, asked, word), word


@each(("topic_user", "sees"), [(AUTHOR, {AUTHOR}), (OTHER, {OTHER})])
def test_a_reply_to_a_banned_topic_is_visible_to_the_topics_author(
    topic_user: int, sees: set[int]
) -> None:
    for user_id in (AUTHOR, OTHER):
        caller = identity("member", user_id)
        reply = tree.reply(caller, topic_user_id=topic_user, topic_banned_at=tree.THEN)
        assert granted(caller, reply, "view") is (user_id in sees)


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


def test_an_acl_runs_no_query() -> None:
    # `tree.NoDatabaseRequest` fails as soon as one is made.
    assert all(isinstance(context.__acl__(), list) for context in tree.every_context())
