"""Password hashing: its memory, and the threads that it uses."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from forumsvc.process import passwords
from forumsvc.process.passwords import PasswordsBusy, hash_password, verify_password
from tests.system.process import wait_until

PROGRAM = """
import threading
from forumsvc.process.passwords import hash_password, verify_password

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


FORKING = """
import os, signal
from forumsvc.process.passwords import hash_password, verify_password

stored = hash_password("one")
if child := os.fork():
    raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
signal.alarm(30)
raise SystemExit(0 if verify_password(stored, "one") else 1)
"""


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory")
def test_threads_that_checked_passwords_keep_no_memory_of_it():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 20_000


def test_no_more_threads_hash_or_wait_than_there_are_slots(monkeypatch):
    monkeypatch.setattr(passwords, "_slots", None)
    stored = hash_password("one")
    running, most, go_on = 0, 0, threading.Event()

    class Slow:
        def verify(self, stored: str, password: bytes) -> bool:
            nonlocal running, most
            running += 1
            most = max(most, running)
            ended = go_on.wait(30)
            running -= 1
            return ended

        hash = verify

    monkeypatch.setattr(passwords, "_hasher", Slow())
    passwords.set_slots(2)
    slots = passwords._slots
    assert slots is not None
    with ThreadPoolExecutor(2) as pool:
        checks = [pool.submit(verify_password, stored, "one") for _ in range(2)]
        wait_until(lambda: running and not slots._value, "one is hashed and one waits")
        for refused in (
            passwords.require_slot,
            lambda: hash_password("two"),
            lambda: verify_password(stored, "one"),
        ):
            with pytest.raises(PasswordsBusy):
                refused()
        go_on.set()
        assert [check.result() for check in checks] == [True, True]
    assert most == 1
    assert verify_password(stored, "one")


@pytest.mark.skipif(sys.platform != "linux", reason="a thread has a priority of its own")
def test_the_hashing_thread_has_a_lower_priority_than_request_threads(monkeypatch):
    class Asked:
        def hash(self, password: bytes) -> str:
            return str(niceness())

    monkeypatch.setattr(passwords, "_slots", None)
    monkeypatch.setattr(passwords, "_hasher", Asked())
    assert int(hash_password("one")) == min(niceness() + 5, 19)


def test_a_worker_forked_after_a_password_was_hashed_hashes_too():
    done = subprocess.run([sys.executable, "-c", FORKING], timeout=60)
    assert done.returncode == 0
