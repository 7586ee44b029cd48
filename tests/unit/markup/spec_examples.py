"""The examples of the CommonMark and the GitHub Flavored Markdown specifications.

Their licence (CC BY-SA 4.0) is not this project's, so they are fetched and not kept here: pip
brings the source archive of marko, whose own tests carry both texts unchanged (CommonMark's is
that of npm's `commonmark-spec` 0.31.2). The archive is read, never built into anything.
"""

import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

_RELEASE = "marko-2.2.4"
_CACHE = Path(__file__).parents[3] / "var" / "test-cache"
_EXAMPLE = re.compile(r"^`{32} example([^\n]*)\n(.*?)^\.\n(.*?)^`{32}$", re.S | re.M)
_SECTION = re.compile(r"^#{1,6} +(.*)$", re.M)


class Example(NamedTuple):
    """One example: its number in the specification, its section, Markdown in and HTML out."""

    number: int
    section: str
    extension: str
    markdown: str
    html: str


def commonmark() -> list[Example]:
    """Return the 652 examples of CommonMark 0.31.2."""
    return _examples("commonmark")


def gfm_extensions() -> list[Example]:
    """Return those examples of GFM 0.29 that show what it adds to CommonMark."""
    return [example for example in _examples("gfm") if example.extension]


def _examples(specification: str) -> list[Example]:
    with tarfile.open(_archive()) as archive:
        member = archive.extractfile(f"{_RELEASE}/tests/spec/{specification}.txt")
        assert member is not None
        text = member.read().decode()
    found = []
    for number, match in enumerate(_EXAMPLE.finditer(text), 1):
        section = _SECTION.findall(_EXAMPLE.sub("", text[: match.start()]))[-1]
        extension, markdown, html = (group.replace("→", "\t") for group in match.groups())
        found.append(Example(number, section, extension.strip(), markdown, html))
    return found


def _archive() -> Path:
    """Return the archive, fetched by pip the first time."""
    path = _CACHE / f"{_RELEASE}.tar.gz"
    if not path.exists():
        _CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_CACHE) as folder:
            pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary=marko"]
            subprocess.run(
                [*pip, f"--dest={folder}", _RELEASE.replace("-", "==")],
                check=True,
                capture_output=True,
                text=True,
            )
            (Path(folder) / path.name).replace(path)
    return path
