"""The command that makes the screenshots of the README."""

import subprocess
import sys
from pathlib import Path

from tests.system.pserve import ROOT

PNG = b"\x89PNG\r\n\x1a\n"
MAX_BYTES = 150_000


def test_the_command_writes_the_screenshots_of_the_readme(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "docs.make_screenshots", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    for name in ("forum.png", "explorer.png", "consent.png"):
        image = (tmp_path / name).read_bytes()
        assert image.startswith(PNG)
        assert len(image) <= MAX_BYTES
        assert f"docs/images/{name}" in (ROOT / "README.md").read_text()
        assert (ROOT / "docs" / "images" / name).is_file()
