"""Passwords: what hashing them leaves behind, and how many threads it takes."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from forumsvc import passwords
from forumsvc.passwords import PasswordsBusy, hash_password, verify_password

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


def test_no_more_threads_hash_or_wait_than_there_are_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_slots", None)
    stored = hash_password("one")
    inside, go_on = threading.Semaphore(0), threading.Event()

    class Slow:
        def verify(self, stored: str, password: bytes) -> bool:
            inside.release()
            return go_on.wait(30)

    monkeypatch.setattr(passwords, "_hasher", Slow())
    passwords.set_slots(2)
    with ThreadPoolExecutor(2) as pool:
        checks = [pool.submit(verify_password, stored, "one") for _ in range(2)]
        assert all(inside.acquire(timeout=30) for _ in checks)
        for refused in (lambda: hash_password("two"), lambda: verify_password(stored, "one")):
            with pytest.raises(PasswordsBusy):
                refused()
        go_on.set()
        assert [check.result() for check in checks] == [True, True]
    assert verify_password(stored, "one")
