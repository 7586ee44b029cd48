"""Topics."""

from typing import Any, cast

from pyramid.authorization import DENY_ALL, Allow, Deny
from sqlalchemy.orm import Session

from ..db.execution import ReadConnection
from ..models.states import ACTION_TYPES, TOPIC_STATES, changes
from ..permissions import Common, VersionPermission
from ..permissions import TopicPermission as May
from ..queries import topics
from ..queries.rows import TopicRow, TopicStateRow
from ..security import principals
from ..security.identity import Level
from ..text.error_codes import ErrorCode
from ..text.messages import Message
from .base import Acl, Container, Item, Resource
from .post_versions import TopicVersions, version_readers

_TAKE_PART = (May.FOLLOW, May.FAVORITE, May.LIKE)
_CHANGE_STATE = (*map(May, ACTION_TYPES), *(change.permission for change in changes(TOPIC_STATES)))
_READ = (Common.VIEW, May.MARK_READ)
_MODERATE = (*_READ, May.UPDATE, *_CHANGE_STATE, *_TAKE_PART, *VersionPermission)

OWN_POST = Message("This is your own: you cannot report it.").coded(ErrorCode.YOUR_OWN)


class TopicItem(Item):
    row: TopicStateRow

    @property
    def is_hidden(self) -> bool:
        """Whether it is banned or deleted."""
        return self.row.banned_at is not None or self.row.deleted_at is not None

    def edit_version(self) -> tuple[Any, ...]:
        """Return title, node, text and states, and the time that tells equal ones apart."""
        row = cast("TopicRow", self.row)
        states = (getattr(row, state.column) for state in TOPIC_STATES)
        return (row.title, row.node_id, row.body, row.updated_at, *states)

    @property
    def is_own(self) -> bool:
        """Whether the caller wrote it."""
        caller = self.root.caller
        return caller is not None and caller.user_id == self.row.user_id

    def __acl__(self) -> Acl:
        """Moderators may do everything, authors manage their topic, active users take part."""
        acl: Acl = [
            (Allow, principals.MODERATOR, _MODERATE),
            (Allow, principals.ACTIVE, May.ACT),
        ]
        return acl + (self._hidden_acl() if self.is_hidden else self._visible_acl())

    def __getitem__(self, name: str) -> Resource:
        """Return the topic's former texts."""
        if name == "versions":
            return TopicVersions(self, name)
        raise KeyError(name)

    def _hidden_acl(self) -> Acl:
        if self.row.deleted_at is not None:
            return [DENY_ALL]
        author = principals.user(self.row.user_id)
        return [(Allow, author, (*_READ, VersionPermission.VIEW)), DENY_ALL]

    def _visible_acl(self) -> Acl:
        row = self.row
        author = principals.active(row.user_id)
        acl: Acl = [
            (Allow, principals.USER, May.MARK_READ),
            *version_readers(self, row.user_id),
            (Allow, author, (May.UPDATE, May.CLOSE)),
            (Allow, principals.MODERATOR, May.REPLY),
            (Allow, principals.ACTIVE, _TAKE_PART),
        ]
        acl += [(Deny, author, May.REPORT), (Allow, principals.ACTIVE, May.REPORT)]
        if row.closed_at is None:
            acl.append((Allow, principals.ACTIVE, May.REPLY))
        if row.closed_at is None or row.closed_by_id == row.user_id:
            acl.append((Allow, author, May.OPEN))
        if row.others_replies_count == 0:
            acl.append((Allow, author, May.DESTROY))
        return acl

    def denial_reason(self, permission: str) -> str | None:
        """Return the reason for a banned, closed or answered topic."""
        if self.row.banned_at is not None:
            return Message("This topic is banned.").coded(ErrorCode.TOPIC_BANNED)
        if permission == May.REPORT and self.is_own:
            return OWN_POST
        if permission == May.REPLY and self.row.closed_at is not None:
            return Message("This topic is closed: it takes no more replies.").coded(
                ErrorCode.TOPIC_CLOSED
            )
        if permission == May.DESTROY and self.row.others_replies_count:
            return Message(
                "Others have replied to this topic, so its author cannot delete it."
            ).coded(ErrorCode.TOPIC_ANSWERED)
        return None


class Topics(Container):
    """`/api/v3/topics`."""

    item = TopicItem
    find = staticmethod(topics.by_id)

    def __acl__(self) -> Acl:
        """Active users may open topics, except newbies; all users have places in topics."""
        return [
            (Allow, principals.ESTABLISHED, May.CREATE),
            (Allow, principals.USER, (May.VIEW_UNREAD, May.MARK_READ)),
        ]

    def load_committed(self, item_id: int) -> TopicRow | None:
        """Return the topic's row, from the page cache where it has not changed."""
        root = self.root
        known = root.version_of_topic(item_id)
        return topics.by_id_cached(root.executor, root.page_cache, item_id, known)

    def load_for_acl(self, db: ReadConnection, item_id: int) -> TopicStateRow | None:
        """Return the columns that the ACL reads."""
        return topics.state(db, item_id)

    def load_for_update(
        self, db: Session, item_id: int, *, whole_row: bool
    ) -> TopicStateRow | None:
        """Return the topic's row, locked."""
        load = topics.by_id if whole_row else topics.state
        return load(db, item_id, lock=True)

    def denial_reason(self, permission: str) -> str | None:
        """Return the reason for a newbie."""
        caller = self.root.caller
        if permission == May.CREATE and caller is not None and caller.level == Level.NEWBIE:
            return Message("New members may reply, but not open topics yet.").coded(
                ErrorCode.TOO_NEW
            )
        return None
