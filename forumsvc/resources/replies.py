"""Replies. A reply is visible to those who see its topic."""

from types import SimpleNamespace
from typing import Any, cast

from pyramid.authorization import DENY_ALL, Allow, Deny

from ..db.execution import ReadConnection
from ..permissions import Common, VersionPermission
from ..permissions import ReplyPermission as May
from ..queries import replies
from ..queries.rows import ReplyListRow, ReplyRow, ReplyStateRow
from ..security import principals
from ..text.error_codes import ErrorCode
from ..text.messages import Message
from .base import Acl, Container, Item, Resource
from .post_versions import ReplyVersions, version_readers
from .topics import OWN_POST

_MODERATE = (Common.VIEW, May.UPDATE, May.DESTROY, May.LIKE, *VersionPermission)


class ReplyItem(Item):
    row: ReplyStateRow

    @property
    def is_hidden(self) -> bool:
        """Whether it is deleted, or its topic is banned or deleted."""
        row = self.row
        return not (
            row.deleted_at is None and row.topic_banned_at is None and row.topic_deleted_at is None
        )

    def edit_version(self) -> tuple[Any, ...]:
        """Return text and state, and the time that tells equal ones apart."""
        row = cast("ReplyRow", self.row)
        return (row.body, row.updated_at, row.deleted_at)

    def __acl__(self) -> Acl:
        """Moderators may do everything, authors edit in an open topic, active users like."""
        row = self.row
        if row.deleted_at is not None:
            may = (Common.VIEW, May.DESTROY, *VersionPermission)
            return [(Allow, principals.MODERATOR, may), DENY_ALL]
        acl: Acl = [(Allow, principals.MODERATOR, _MODERATE)]
        if row.topic_deleted_at is not None:
            return [*acl, DENY_ALL]
        if row.topic_banned_at is not None:
            acl.append((Allow, principals.user(row.topic_user_id), Common.VIEW))
            return [*acl, (Allow, principals.user(row.user_id), VersionPermission.VIEW), DENY_ALL]
        author = principals.active(row.user_id)
        acl += version_readers(self, row.user_id)
        acl += [(Deny, author, May.REPORT), (Allow, principals.ACTIVE, (May.LIKE, May.REPORT))]
        if row.topic_closed_at is None:
            acl.append((Allow, author, (May.UPDATE, May.DESTROY)))
        return acl

    def __getitem__(self, name: str) -> Resource:
        """Return the reply's former texts."""
        if name == "versions":
            return ReplyVersions(self, name)
        raise KeyError(name)

    def denial_reason(self, permission: str) -> str | None:
        """Return the reason for one's own reply and for a closed topic."""
        caller = self.root.caller
        if permission == May.REPORT and caller is not None and caller.user_id == self.row.user_id:
            return OWN_POST
        if permission in (May.UPDATE, May.DESTROY) and self.row.topic_closed_at is not None:
            return Message("The topic is closed: its replies stay as they are.").coded(
                ErrorCode.TOPIC_CLOSED
            )
        return None


class Replies(Container):
    """`/api/v3/replies`."""

    item = ReplyItem
    find = staticmethod(replies.by_id)

    def load_for_acl(self, db: ReadConnection, item_id: int) -> ReplyStateRow | None:
        """Return the columns that the ACL reads."""
        return replies.state(db, item_id)


def listed_reply(topic: Item, row: ReplyListRow) -> ReplyItem:
    """Return a reply of a topic's list as a resource, for its ACL."""
    state = SimpleNamespace(
        id=row.id,
        topic_id=row.topic_id,
        user_id=row.user_id,
        deleted_at=row.deleted_at,
        topic_user_id=topic.row.user_id,
        topic_closed_at=topic.row.closed_at,
        topic_banned_at=topic.row.banned_at,
        topic_deleted_at=topic.row.deleted_at,
    )
    return ReplyItem(topic.root.replies, str(row.id), state)
