"""Run a command with no network but the loopback: python -m tests.without_network make test

Linux, and root, as in most containers of a CI.
"""

import ctypes
import fcntl
import os
import socket
import struct
import sys

CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS = 0x8914
IFF_UP = 1


def leave_network() -> None:
    """Move this process to a network namespace of its own, which has a loopback only.

    Raises OSError where that is not allowed.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP))


if __name__ == "__main__":
    try:
        leave_network()
    except OSError as error:
        sys.exit(f"The network cannot be left: {error}. Be root, on Linux.")
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 - the caller's own words
