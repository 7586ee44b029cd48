"""Finds the Chromium for the browser tests."""

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")
REQUIRED = "FORUMSVC_BROWSER"
"""Set to `required`, the environment variable makes a missing Chromium an error (`.ci/run`)."""

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MISSING = "no Chromium on the PATH (apt-get install chromium, or run .ci/run as root)"


def find() -> str | None:
    """Return the program, or None if there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def is_required() -> bool:
    """Return whether the tests fail without one."""
    return os.environ.get(REQUIRED) == "required"
