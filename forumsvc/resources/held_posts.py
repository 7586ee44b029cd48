"""Posts that wait for a moderator."""

from pyramid.authorization import Allow, Deny

from ..models import HeldState
from ..permissions import Common, HeldPermission
from ..queries import held_posts
from ..queries.held_posts import HeldPostRow
from ..security import principals
from .base import Acl, Container, Item


class HeldPostItem(Item):
    """A post that is not published: only its author and moderators may read it."""

    row: HeldPostRow

    @property
    def is_hidden(self) -> bool:
        """Whether a caller without the permission gets 404; visitors are asked to log in."""
        return self.root.caller is not None and self.root.caller.user_id is not None

    def __acl__(self) -> Acl:
        """Authors and moderators may see it; authors may take it back while it waits."""
        author = principals.user(self.row.user_id)
        acl: Acl = [
            (Allow, author, Common.VIEW),
            (Allow, principals.MODERATOR, Common.VIEW),
            (Deny, principals.EVERYONE, Common.VIEW),
        ]
        if self.row.state == HeldState.WAITING:
            acl.append((Allow, author, HeldPermission.WITHDRAW))
        return acl


class HeldPosts(Container):
    """`/api/v3/held`."""

    item = HeldPostItem
    find = staticmethod(held_posts.by_id)

    def __acl__(self) -> Acl:
        """Users may list their own; moderators see all."""
        return [
            (Allow, principals.USER, HeldPermission.VIEW_OWN),
            (Allow, principals.MODERATOR, HeldPermission.VIEW),
        ]
