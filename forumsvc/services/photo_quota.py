"""The quota: how many bytes of photos a member may have stored."""

from dataclasses import dataclass

from ..db.execution import ReadConnection
from ..errors import Invalid
from ..queries import photos


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
            f"does not fit into your quota: {size:,} bytes, and {max(remaining_bytes, 0):,} of "
            f"{self.max_bytes:,} are left; delete photos that you do not need any more",
        )
