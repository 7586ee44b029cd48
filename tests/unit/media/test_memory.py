"""The largest accepted images of each kind need less than 450 MB."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.unit.media.measure_memory import IMAGES

ROOT = Path(__file__).parents[3]
BOUND = 450_000_000
OWN_BOUND = 60_000_000


def measure(*arguments: str, **files: Any) -> bytes:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-m", "tests.unit.media.measure_memory", *arguments]
    done = subprocess.run(command, env=environment, cwd=ROOT, check=True, **files)
    written: bytes = done.stdout
    return written


@pytest.mark.parametrize(
    ("job", "name"),
    [
        *(("normalize", name) for name in IMAGES),
        *(("thumbnail", name) for name in ("PNG RGBA sideways", "WEBP lossy alpha 25")),
    ],
)
def test_peak_memory_of_service_and_worker_is_bounded(job, name):
    with tempfile.TemporaryFile() as image:
        measure("make", name, stdout=image)
        image.seek(0)
        worker, service = measure(job, stdin=image, stdout=subprocess.PIPE).split()[:2]
        assert int(worker) < BOUND
        assert int(service) < OWN_BOUND
