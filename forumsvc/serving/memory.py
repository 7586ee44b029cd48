"""What a process asks of glibc's memory allocator; elsewhere these functions do nothing."""

import ctypes

_M_ARENA_MAX = -8


def use_one_arena() -> None:
    """Let all threads share one heap. Call it before the threads start.

    By default each gets a heap of its own, and what one of them has freed no other can use. Threads
    that hold Python's lock while they allocate never wait for each other's heap.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)


def return_memory() -> None:
    """Give what was freed back to the system; large answers leave much."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
