"""The vocabulary of what can be done to what.

A word is at once a view's `permission`, an entry of an ACL and, where clients are told, a key of
`abilities`. A permission needs the scope `write` unless it is listed in READS.
"""

from enum import StrEnum


class Scope(StrEnum):
    """What an access token is good for."""

    READ = "read"
    WRITE = "write"


class Common(StrEnum):
    """Words that several resources share."""

    VIEW = "view"  # read the resource and the lists under it


class RootPermission(StrEnum):
    """The service itself."""

    HELLO = "hello"  # learn whose token one has


class UserPermission(StrEnum):
    """The users, and a user."""

    REGISTER = "register"  # open an account
    VIEW_EMAIL = "view_email"  # see the address
    VIEW_BLOCKED = "view_blocked"  # list whom the user blocks
    VIEW_LIKES = "view_likes"  # list what the user likes
    UPDATE = "update"  # edit the profile
    DESTROY = "destroy"  # end the account; the keyed shape tells it, and no endpoint does it
    FOLLOW = "follow"  # be told of the user's topics
    UNFOLLOW = "unfollow"  # no longer be told
    BLOCK = "block"  # neither see nor hear of the user
    UNBLOCK = "unblock"  # take that back


class AccountPermission(StrEnum):
    """What a person does with their own account, on the pages."""

    MANAGE = "manage_account"  # change the password, allow applications and take that back
    REGISTER_CLIENTS = "register_clients"  # add applications of one's own


class TopicPermission(StrEnum):
    """The topics, and a topic."""

    CREATE = "create"  # open a topic
    UPDATE = "update"  # edit title, body and node
    DESTROY = "destroy"  # delete
    REPLY = "reply"  # write a reply
    FOLLOW = "follow"  # follow and unfollow
    FAVORITE = "favorite"  # favour and unfavour
    LIKE = "like"  # like and take that back
    ACT = "act"  # name an action at all; each action has its own word
    BAN = "ban"  # hide from everybody
    UNBAN = "unban"  # show again
    NORMAL = "normal"  # the older name of unban
    EXCELLENT = "excellent"  # feature
    UNEXCELLENT = "unexcellent"  # no longer feature
    CLOSE = "close"  # take no more replies
    OPEN = "open"  # take replies again


class ReplyPermission(StrEnum):
    """A reply."""

    UPDATE = "update"  # edit the text
    DESTROY = "destroy"  # delete
    LIKE = "like"  # like and take that back


class NodePermission(StrEnum):
    """The nodes, and a node."""

    CREATE = "create"  # add a node
    UPDATE = "update"  # rename, describe, sort
    DESTROY = "destroy"  # remove an empty node


class NotificationPermission(StrEnum):
    """One's own notifications."""

    MARK_READ = "mark_read"
    DESTROY = "destroy"


class PhotoPermission(StrEnum):
    """Pictures."""

    CREATE = "create"  # upload
    VIEW_OWN = "view_own"  # list one's own
    DESTROY = "destroy"  # delete


class LikePermission(StrEnum):
    """The likes as a whole; the thing liked has its own word."""

    LIKE = "like"


FORBIDDEN = "nobodys"
"""The default permission: no ACL grants it, so a view that names none is closed."""

READS = frozenset(
    {
        Common.VIEW,
        RootPermission.HELLO,
        UserPermission.VIEW_EMAIL,
        UserPermission.VIEW_BLOCKED,
        UserPermission.VIEW_LIKES,
        PhotoPermission.VIEW_OWN,
    }
)

WITHOUT_SCOPE = frozenset({UserPermission.REGISTER})
"""Granted whatever the token is good for: it is not done in anybody's name."""

TOPIC_ABILITIES = (
    TopicPermission.UPDATE,
    TopicPermission.DESTROY,
    TopicPermission.BAN,
    TopicPermission.UNBAN,
    TopicPermission.NORMAL,
    TopicPermission.EXCELLENT,
    TopicPermission.UNEXCELLENT,
    TopicPermission.CLOSE,
    TopicPermission.OPEN,
    TopicPermission.REPLY,
)
REPLY_ABILITIES = (ReplyPermission.UPDATE, ReplyPermission.DESTROY)
USER_ABILITIES = (UserPermission.FOLLOW, UserPermission.BLOCK, UserPermission.UPDATE)
USER_SUMMARY_ABILITIES = (UserPermission.UPDATE, UserPermission.DESTROY)
"""What the keyed shape tells of every user, beside a topic or a reply too."""


def scope_of(permission: str) -> Scope | None:
    """Return the scope that a token must have for the permission, None where it needs none."""
    if permission in WITHOUT_SCOPE:
        return None
    return Scope.READ if permission in READS else Scope.WRITE
