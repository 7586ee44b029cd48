"""The command that makes the screenshots of the documents."""

import subprocess
import sys

from tests.system.pserve import ROOT

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"
IMAGES = {
    "forum.png": (PNG, 150_000, "README.md"),
    "explorer.png": (PNG, 150_000, "README.md"),
    "consent.png": (PNG, 150_000, "README.md"),
    "pages.jpg": (JPEG, 300_000, "docs/owners.md"),
}
"""The first bytes of each, the most bytes that it may have, and the document that shows it."""


def test_the_command_writes_the_screenshots_of_the_documents(tmp_path):
    command = [sys.executable, "-m", "docs.make_screenshots", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    for name, (start, most, document) in IMAGES.items():
        image = (tmp_path / name).read_bytes()
        assert image.startswith(start)
        assert len(image) <= most
        assert f"images/{name})" in (ROOT / document).read_text()
        assert (ROOT / "docs" / "images" / name).is_file()
