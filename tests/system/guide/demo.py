"""The service of `make serve`: with the demo community, and the settings that a page needs."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.system.oauth.service import Service, service
from tests.system.pserve import ROOT


@contextmanager
def demo_service(folder: Path, **settings: str) -> Iterator[Service]:
    """Run it in `folder`. settings: additional ones, as keyword `area__setting`."""
    with service(folder, accounts__registration="open", **settings) as running:
        subprocess.run(
            [sys.executable, "-m", "forumsvc.cli", "-c", str(running.ini), "demo"],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
        yield running
