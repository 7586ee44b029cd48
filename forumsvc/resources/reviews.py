"""Reviews: the queue of moderators."""

from typing import Any

from pyramid.authorization import Allow, Deny

from ..permissions import ReviewPermission
from ..queries import reviews
from ..queries.reviews import ReviewRow
from ..security import principals
from ..text.error_codes import ErrorCode
from ..text.messages import Message
from .base import Acl, Container, Item


class ReviewItem(Item):
    """A review. details: what a moderator needs to decide, loaded by the view that shows it."""

    row: ReviewRow
    details: Any = None

    def edit_version(self) -> tuple[Any, ...]:
        """Return its version: a decision may go on though the author has written something else."""
        return (self.row.version,)

    def __acl__(self) -> Acl:
        """Nobody but admins decides on what they wrote or reported."""
        acl: Acl = [(Allow, principals.ADMIN, ReviewPermission.RESOLVE)]
        concerned = {self.row.author_id, *map(int, (self.row.reporter_ids or "0").split(","))}
        return acl + [
            (Deny, principals.user(user_id), ReviewPermission.RESOLVE)
            for user_id in sorted(concerned)
        ]

    def denial_reason(self, permission: str) -> str | None:
        """Return the reason for a moderator who is concerned."""
        caller = self.root.caller
        if permission == ReviewPermission.RESOLVE and caller is not None and caller.is_moderator:
            return Message("You wrote or reported this yourself: another moderator decides.").coded(
                ErrorCode.YOUR_OWN
            )
        return None


class Reviews(Container):
    """`/api/v3/reviews`."""

    item = ReviewItem
    find = staticmethod(reviews.by_id)

    def __acl__(self) -> Acl:
        """Moderators may see and decide."""
        return [(Allow, principals.MODERATOR, tuple(ReviewPermission))]
