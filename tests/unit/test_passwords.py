"""Passwords: what hashing them leaves behind."""

import subprocess
import sys

import pytest

PROGRAM = """
import threading
from forumsvc.passwords import hash_password, verify_password

def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

stored, before = hash_password("one"), resident()
gate = threading.Barrier(9)

def check():
    verify_password(stored, "one")
    verify_password(stored, "another")
    gate.wait()
    gate.wait()

for _ in range(8):
    threading.Thread(target=check).start()
gate.wait()
print(resident() - before)
gate.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory")
def test_threads_that_checked_passwords_keep_no_memory_of_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 20_000
