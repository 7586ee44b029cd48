"""The quota: how many bytes of photos a member may have stored."""

from dataclasses import dataclass

from ..db.execution import ReadConnection
from ..errors import Invalid
from ..queries import photos
from ..texts import Message


@dataclass(frozen=True, slots=True)
class Quota:
    """The quota of one user. max_bytes: of all their photos; None for no limit."""

    user_id: int
    max_bytes: int | None

    def remaining_bytes(self, db: ReadConnection) -> int | None:
        """Return how many more bytes fit; None for no limit. Negative after a lowered limit."""
        if self.max_bytes is None:
            return None
        return self.max_bytes - photos.used_bytes(db, self.user_id)

    def check(self, remaining_bytes: int | None, size: int, field: str = "file") -> None:
        """Raise Invalid for `field` if `size` bytes do not fit into the remaining ones."""
        if self.max_bytes is None or remaining_bytes is None or size <= remaining_bytes:
            return
        raise Invalid(
            field,
            Message(
                "does not fit into your quota: %(size)s bytes, and %(left)s of %(all)s are left; "
                "delete photos that you do not need any more",
                size=f"{size:,}",
                left=f"{max(remaining_bytes, 0):,}",
                all=f"{self.max_bytes:,}",
            ),
        )
