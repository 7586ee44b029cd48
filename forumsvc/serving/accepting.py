"""Accepting connections while the system has no room for another."""

import errno
import logging
from collections.abc import Callable
from typing import Any

from forumsvc.serving.poller import Poller

log = logging.getLogger(__name__)

_NO_ROOM = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
"""What accept(2) says of a limit of open files or of memory; the client waits in the queue."""


def accept_with_pauses(listener: Any, poller: Poller) -> Callable[[], Any]:
    """Return the `accept` of a listener of waitress, which gives a connection, or None for none.

    Without room the listener pauses: its clients would end each wait of the loop at once, and
    waitress would log each time that it cannot accept them.
    """
    accept = listener.accept

    def accept_or_pause() -> Any:
        try:
            return accept()
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            log.error("no connection can be accepted for a second: %s", error.strerror)
            poller.pause(listener.socket.fileno())
            return None

    return accept_or_pause
