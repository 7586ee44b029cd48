"""Why a dump cannot be written, read or loaded."""

from ..errors import ForumError


class DumpError(ForumError):
    """A dump that cannot be written, read or loaded; the message is one line."""
