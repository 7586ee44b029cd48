"""The heaps of a process with threads."""

import subprocess
import sys

from tests.cases import each

PROGRAM = """
import ctypes, threading
from forumsvc.serving import memory
if {is_one}:
    memory.use_one_arena()
barrier = threading.Barrier(4)
def allocate():
    barrier.wait()
    blocks = [bytes(50_000) for _ in range(10)]
    barrier.wait()
threads = [threading.Thread(target=allocate) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc = ctypes.CDLL(None)
libc.fdopen.restype = ctypes.c_void_p
libc.malloc_info(0, ctypes.c_void_p(libc.fdopen(1, b"w")))
libc.fflush(None)
"""


@each(("is_one", "many"), [(True, False), (False, True)])
def test_all_threads_share_one_heap_where_the_process_asks_for_it(is_one, many):
    command = [sys.executable, "-c", PROGRAM.format(is_one=is_one)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    assert (printed.count("<heap nr=") > 1) is many
