"""The permissions, a class for each resource.

Each permission is the `permission` of views, an entry of ACLs and, where clients see it, a key of
`abilities`. It needs the scope `write` unless it is in READS, MODERATION or ADMINISTRATION.
"""

from enum import StrEnum


class Scope(StrEnum):
    """The scopes of access tokens, in the order in which they are shown. None includes another."""

    READ = "read"
    WRITE = "write"
    MODERATE = "moderate"
    ADMIN = "admin"


DEFAULT_SCOPES = (Scope.READ, Scope.WRITE)
"""The scopes of whoever names none."""


class Common(StrEnum):
    """Permissions that several resources share."""

    VIEW = "view"  # read the resource and the lists under it


class RootPermission(StrEnum):
    """For the service itself."""

    HELLO = "hello"  # see whose token this is


class SitePermission(StrEnum):
    MANAGE = "manage_site"  # change the name, the texts and the logo of the site


class UserPermission(StrEnum):
    REGISTER = "register"  # open an account
    VIEW_EMAIL = "view_email"  # see the e-mail address
    VIEW_BLOCKED = "view_blocked"  # list the users whom the user blocks
    VIEW_MUTED = "view_muted"  # list the nodes that the user mutes
    VIEW_LIKES = "view_likes"  # list the likes of the user
    VIEW_RELATED = "view_related"  # list the topics that the user follows, took part in or opened
    UPDATE = "update"  # edit the profile
    CONFIRM = "confirm"  # get the link that confirms the e-mail address
    DESTROY = "destroy"  # delete the account; shown by the keyed envelope, no endpoint does it
    CLOSE = "close_account"  # have the account erased after some days, and take that back
    EXPORT = "export"  # have all that is kept of the user written into a file
    VIEW_EXPORT = "view_export"  # see how far that is, and get the file
    FOLLOW = "follow"  # be notified of the user's topics
    UNFOLLOW = "unfollow"  # stop that
    BLOCK = "block"  # neither see the user's topics nor be notified by the user
    UNBLOCK = "unblock"  # take that back
    SILENCE = "silence"  # let the user only read
    UNSILENCE = "unsilence"  # take that back
    REPORT = "report"  # tell moderators of the user
    WARN = "warn"  # tell the user what they must not do
    VIEW_RESTRICTIONS = "view_restrictions"  # see why and until when the user is silenced
    VIEW_NOTES = "view_notes"  # also who decided that, and notes for moderators
    SET_ROLE = "set_role"  # give another role
    VIEW_MAIL = "view_mail"  # see of what the user gets emails
    CHOOSE_MAIL = "choose_mail"  # choose that


class AccountPermission(StrEnum):
    """For a person's own account, on the pages."""

    MANAGE = "manage_account"  # change the password, authorize applications and revoke that
    REGISTER_CLIENTS = "register_clients"  # register own applications


class NodePermission(StrEnum):
    MANAGE = "manage_nodes"  # create, change and delete nodes and sections
    MUTE = "mute"  # have no topics of the node in the forum's list, and take that back


class TopicPermission(StrEnum):
    CREATE = "create"  # open a topic
    UPDATE = "update"  # edit title, body and node
    DESTROY = "destroy"  # delete
    REPLY = "reply"  # write a reply
    FOLLOW = "follow"  # follow and unfollow
    FAVORITE = "favorite"  # add to and remove from favorites
    LIKE = "like"  # like and unlike
    ACT = "act"  # name an action at all; each action has its own permission
    BAN = "ban"  # hide from other users
    UNBAN = "unban"  # show again
    NORMAL = "normal"  # the older name of unban
    EXCELLENT = "excellent"  # mark as excellent
    UNEXCELLENT = "unexcellent"  # remove that mark
    PIN = "pin"  # keep on top
    UNPIN = "unpin"  # no longer
    CLOSE = "close"  # allow no more replies
    OPEN = "open"  # allow replies again
    REPORT = "report"  # tell moderators of it
    VIEW_UNREAD = "view_unread"  # list the topics with replies that one has not read
    MARK_READ = "mark_read"  # say how far one has read


class ReplyPermission(StrEnum):
    UPDATE = "update"  # edit the text
    DESTROY = "destroy"  # delete
    LIKE = "like"  # like and unlike
    REPORT = "report"  # tell moderators of it


class VersionPermission(StrEnum):
    """For the former texts of a topic or reply."""

    VIEW = "view_versions"  # read them
    HIDE = "hide_versions"  # hide one from all but moderators, and read those that are hidden


class NotificationPermission(StrEnum):
    """For the caller's own notifications."""

    MARK_READ = "mark_read"
    DESTROY = "destroy"


class DevicePermission(StrEnum):
    """For the caller's own devices."""

    REGISTER = "register_device"  # be reached there
    UNREGISTER = "unregister_device"  # no longer


class DraftPermission(StrEnum):
    """For the caller's own drafts."""

    VIEW = "view_drafts"  # read them
    SAVE = "save_drafts"  # write one
    DESTROY = "destroy_drafts"  # delete one


class PhotoPermission(StrEnum):
    CREATE = "create"  # upload
    VIEW_OWN = "view_own"  # list own photos
    DESTROY = "destroy"  # delete


class LikePermission(StrEnum):
    """For the likes as a whole; the liked resource has a permission of its own."""

    LIKE = "like"


class WebhookPermission(StrEnum):
    MANAGE = "manage_webhooks"  # all that can be done with webhooks


class AccessBlockPermission(StrEnum):
    MANAGE = "manage_access_blocks"  # all that can be done with access blocks


class SearchPermission(StrEnum):
    SEARCH = "search"  # search topics, replies and users
    SEARCH_HIDDEN = "search_hidden"  # also find what is banned or deleted


class EventPermission(StrEnum):
    VIEW = "view_events"  # read what happened


class ReportPermission(StrEnum):
    CREATE = "create_reports"  # tell moderators of anything; each object has its own permission
    VIEW_OWN = "view_own_reports"  # see one's own reports and what became of them


class HeldPermission(StrEnum):
    """For posts that wait for a moderator."""

    VIEW_OWN = "view_own_held_posts"  # see those that one wrote
    VIEW = "view_held_posts"  # see everybody's
    WITHDRAW = "withdraw_held_posts"  # take one back


class ReviewPermission(StrEnum):
    """For what moderators have to look at."""

    VIEW = "view_reviews"  # see the queue
    RESOLVE = "resolve_reviews"  # decide


class LogPermission(StrEnum):
    """For the log of what moderators and administrators do."""

    VIEW = "view_log"  # read what may be public, where it is
    VIEW_STAFF = "view_staff_log"  # read what moderators may know
    VIEW_ADMIN = "view_admin_log"  # read everything


FORBIDDEN = "forbidden"
"""The default permission. No ACL grants it, so a view without a permission is closed."""

READS = frozenset(
    {
        Common.VIEW,
        RootPermission.HELLO,
        UserPermission.VIEW_EMAIL,
        UserPermission.VIEW_BLOCKED,
        UserPermission.VIEW_MUTED,
        UserPermission.VIEW_LIKES,
        UserPermission.VIEW_RELATED,
        TopicPermission.VIEW_UNREAD,
        UserPermission.VIEW_RESTRICTIONS,
        UserPermission.VIEW_EXPORT,
        UserPermission.VIEW_MAIL,
        LogPermission.VIEW,
        ReportPermission.VIEW_OWN,
        HeldPermission.VIEW_OWN,
        PhotoPermission.VIEW_OWN,
        DraftPermission.VIEW,
        VersionPermission.VIEW,
        SearchPermission.SEARCH,
    }
)

MODERATION = frozenset(
    {
        SearchPermission.SEARCH_HIDDEN,
        UserPermission.SILENCE,
        UserPermission.UNSILENCE,
        UserPermission.WARN,
        UserPermission.VIEW_NOTES,
        LogPermission.VIEW_STAFF,
        LogPermission.VIEW_ADMIN,
        HeldPermission.VIEW,
        ReviewPermission.VIEW,
        ReviewPermission.RESOLVE,
        VersionPermission.HIDE,
    }
)
"""Permissions that need the scope `moderate`."""

ADMINISTRATION = frozenset(
    {
        SitePermission.MANAGE,
        NodePermission.MANAGE,
        UserPermission.SET_ROLE,
        WebhookPermission.MANAGE,
        EventPermission.VIEW,
        AccessBlockPermission.MANAGE,
    }
)
"""Permissions that need the scope `admin`."""

WITHOUT_SCOPE = frozenset({UserPermission.REGISTER})
"""Permissions that need no scope: they do not act for the token's user."""

TOPIC_ABILITIES = (
    TopicPermission.UPDATE,
    TopicPermission.DESTROY,
    TopicPermission.BAN,
    TopicPermission.UNBAN,
    TopicPermission.NORMAL,
    TopicPermission.EXCELLENT,
    TopicPermission.UNEXCELLENT,
    TopicPermission.PIN,
    TopicPermission.UNPIN,
    TopicPermission.CLOSE,
    TopicPermission.OPEN,
    TopicPermission.REPLY,
    TopicPermission.REPORT,
)
NODE_ABILITIES = ("update", "destroy")
"""What the abilities of a node are called; both are `NodePermission.MANAGE`."""
REPLY_ABILITIES = (ReplyPermission.UPDATE, ReplyPermission.DESTROY, ReplyPermission.REPORT)
USER_ABILITIES = (UserPermission.FOLLOW, UserPermission.BLOCK, UserPermission.UPDATE)
MODERATOR_ABILITIES = (UserPermission.SILENCE, UserPermission.UNSILENCE)
"""What moderators are shown of a user in addition."""
USER_SUMMARY_ABILITIES = (UserPermission.UPDATE, UserPermission.DESTROY)
"""What the keyed envelope shows of every user, also as the author of a topic or reply."""


def scope_of(permission: str) -> Scope | None:
    """Return the scope that a token needs for the permission, or None."""
    if permission in WITHOUT_SCOPE:
        return None
    if permission in MODERATION:
        return Scope.MODERATE
    if permission in ADMINISTRATION:
        return Scope.ADMIN
    return Scope.READ if permission in READS else Scope.WRITE
