"""Data that other projects' source archives carry, fetched by pip and never kept here."""

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

_CACHE = Path(__file__).parents[3] / "var" / "test-cache"


def read(release: str, member: str) -> str:
    """Return the text of a file in the source archive of a release such as `marko-2.2.4`."""
    with tarfile.open(_archive(release)) as archive:
        file = archive.extractfile(f"{release}/{member}")
        assert file is not None
        return file.read().decode()


def _archive(release: str) -> Path:
    """Return the archive, fetched by pip the first time. It is read, never built into anything."""
    path = _CACHE / f"{release}.tar.gz"
    if not path.exists():
        _CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_CACHE) as folder:
            subprocess.run(
                [
                    *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
                    *("--no-binary=:all:", f"--dest={folder}", "==".join(release.rsplit("-", 1))),
                ],
                check=True,
                capture_output=True,
                text=True,
            )
            (Path(folder) / path.name).replace(path)
    return path
