"""An upload becomes a file to store: in a separate process, in chunks, deterministically."""

import errno
import gc
import hashlib
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from forumsvc.errors import Invalid, RateLimited
from forumsvc.media import images
from forumsvc.media.images import ProcessedImage, normalize, thumbnail
from forumsvc.media.limits import Limits
from forumsvc.media.storage import LocalStorage
from forumsvc.sandbox import SandboxProcess
from tests.cases import each
from tests.unit.media import decompression_bombs, sample_images


class Source(BytesIO):
    """An upload that records how it is read."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.largest = 0

    def read(self, size: int | None = -1) -> bytes:
        assert size is not None
        assert size > 0
        self.largest = max(self.largest, size)
        return super().read(size)


def digest(data: bytes) -> str:
    with normalize(BytesIO(data)) as image:
        return image.digest


@each(
    ("kind", "media_type", "ending"),
    [
        ("PNG", "image/png", "png"),
        ("JPEG", "image/jpeg", "jpg"),
        ("GIF", "image/gif", "gif"),
        ("WEBP", "image/webp", "webp"),
    ],
)
def test_a_processed_image_has_its_properties(kind: str, media_type: str, ending: str) -> None:
    with normalize(
        BytesIO(sample_images.encoded(sample_images.scene("L", (61, 40)), kind))
    ) as image:
        data = image.file.read()
        seen = hashlib.sha256(data).hexdigest()
        assert image.format == kind
        assert image.media_type == media_type
        assert (image.width, image.height, image.frames) == (61, 40, 1)
        assert (image.size, image.digest) == (len(data), seen)
        assert image.name == f"{seen[:2]}/{seen}.{ending}"
    assert image.file.closed


def test_the_image_goes_into_a_storage_as_it_is(tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path)
    with normalize(BytesIO(sample_images.encoded(sample_images.scene("RGB"), "PNG"))) as image:
        assert storage.put(image.name, image.file, image.media_type)
    assert [found.size for found in storage.list_objects()] == [image.size]


@each("kind", ["PNG", "JPEG", "WEBP"])
def test_the_same_pixels_have_the_same_digest_whatever_the_metadata(kind: str) -> None:
    scene = sample_images.scene("RGB")
    bare = sample_images.encoded(scene, kind)
    noted = sample_images.encoded(scene, kind, exif=sample_images.exif())
    assert bare != noted
    assert digest(bare) == digest(bare) == digest(noted) == digest(noted + b"tail")


def test_an_animation_has_the_same_digest_each_time() -> None:
    for specimen in sample_images.animated()[:3]:
        assert digest(specimen.data) == digest(specimen.data)


def test_an_upload_is_read_in_bounded_pieces() -> None:
    source = Source(sample_images.encoded(decompression_bombs.noise("RGB", (300, 300)), "PNG"))
    normalize(source).close()
    assert source.largest <= 65_536


def test_an_upload_is_read_no_further_than_its_bound() -> None:
    source = Source(bytes(1_000_000))
    with pytest.raises(Invalid, match="at most 200,000 bytes are allowed"):
        normalize(source, Limits(max_bytes=200_000))
    assert source.tell() <= 200_000 + 65_536


def test_an_upload_of_exactly_the_bound_is_taken() -> None:
    data = sample_images.encoded(sample_images.scene("RGB"), "PNG")
    normalize(BytesIO(data), Limits(max_bytes=len(data))).close()
    with pytest.raises(Invalid):
        normalize(BytesIO(data), Limits(max_bytes=len(data) - 1))


def test_an_empty_upload_is_refused() -> None:
    with pytest.raises(Invalid, match="file: the file is empty"):
        normalize(BytesIO(b""))


@each("job", [normalize, thumbnail])
def test_a_refusal_in_the_worker_is_a_refusal_here(job: Any) -> None:
    with pytest.raises(Invalid) as caught:
        job(BytesIO(decompression_bombs.png_bomb()))
    assert caught.value.field == "file"
    assert "169,000,000" in caught.value.reason


@each("progressive", [False, True])
@each(("size", "stored"), [((99, 100), (50, 50)), ((101, 99), (26, 25))])
def test_a_jpeg_up_to_four_times_the_pixels_is_stored_smaller(
    size: tuple[int, int], stored: tuple[int, int], progressive: bool
) -> None:
    scene = sample_images.scene("RGB", size)
    data = sample_images.encoded(scene, "JPEG", progressive=progressive)
    with normalize(BytesIO(data), Limits(max_pixels=2500)) as image:
        assert (image.width, image.height) == stored
        assert Image.open(image.file).size == stored
    with pytest.raises(Invalid, match="at most 9,600 are allowed"):
        normalize(BytesIO(data), Limits(max_pixels=2400))


def test_the_given_limits_apply() -> None:
    data = sample_images.encoded(sample_images.scene("RGB", (61, 40)), "PNG")
    normalize(BytesIO(data), Limits(max_pixels=61 * 40)).close()
    with pytest.raises(Invalid, match="at most 2,439 are allowed"):
        normalize(BytesIO(data), Limits(max_pixels=61 * 40 - 1))


def doing(monkeypatch: pytest.MonkeyPatch, *job: object) -> None:
    """Let the worker do a job of `tests.unit.sandbox.task` instead."""

    class OtherJob(SandboxProcess):
        def send(self, _: Any, cpu_seconds: float, deadline: float) -> None:
            super().send(job, cpu_seconds, deadline)

    monkeypatch.setattr(images, "_TASK", "tests.unit.sandbox.task")
    monkeypatch.setattr(images, "SandboxProcess", OtherJob)


def test_the_worker_cannot_take_more_memory_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Limits, "max_memory", 150_000_000)
    data = decompression_bombs.large("PNG", "RGBA", (5000, 5000), compress_level=1)
    with pytest.raises(Invalid, match="too large to decode: it takes more memory than is allowed"):
        normalize(BytesIO(data))


def test_a_decoder_that_waits_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    doing(monkeypatch, "sleep", 1000)
    with pytest.raises(Invalid, match="more than 1 seconds"):
        normalize(BytesIO(b"x"), Limits(wall_seconds=1))


def test_a_decoder_that_spins_is_ended_by_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    doing(monkeypatch, "kill", int(signal.SIGPROF))
    with pytest.raises(Invalid, match="seconds"):
        normalize(BytesIO(b"x"))


def test_a_decoder_that_crashes_is_a_broken_image(monkeypatch: pytest.MonkeyPatch) -> None:
    doing(monkeypatch, "kill", int(signal.SIGSEGV))
    with pytest.raises(Invalid, match="broken: the image stops its decoder"):
        normalize(BytesIO(b"x"))


def test_an_encoder_that_fails_is_a_broken_image(monkeypatch: pytest.MonkeyPatch) -> None:
    doing(monkeypatch, "raise")
    with pytest.raises(Invalid, match="broken: the image cannot be encoded"):
        normalize(BytesIO(b"x"))


def test_a_worker_that_cannot_start_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "_TASK", "tests.unit.sandbox.none")
    with pytest.raises(OSError, match="does not start"):
        normalize(BytesIO(b"x"))


def test_each_image_has_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    pids: list[int] = []
    kill = SandboxProcess.kill

    def recording_kill(self: SandboxProcess) -> None:
        pids.append(self.pid)
        kill(self)

    monkeypatch.setattr(SandboxProcess, "kill", recording_kill)
    data = sample_images.encoded(sample_images.scene("RGB"), "PNG")
    for _ in range(2):
        normalize(BytesIO(data)).close()
    assert len(set(pids)) == 2


def test_a_full_disk_is_an_error_and_no_refusal() -> None:
    noise = decompression_bombs.noise("RGB", (300, 300))
    # Smaller than what becomes of it.
    data = sample_images.encoded(noise, "JPEG", progressive=True)
    program = (
        "import resource, sys; from io import BytesIO\n"
        "from forumsvc.media.images import normalize\n"
        "data = sys.stdin.buffer.read()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (len(data) + 10, len(data) + 10))\n"
        "try: normalize(BytesIO(data))\n"
        "except OSError as error: print(error.errno)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=data,
        env={"PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        check=True,
    )
    assert int(done.stdout) == errno.EFBIG


FILES = Path("/proc/self/fd")


def test_no_file_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for data in (
        sample_images.encoded(sample_images.scene("RGB"), "PNG"),
        decompression_bombs.png_bomb(),
        b"",
    ):
        with suppress(Invalid), normalize(BytesIO(data)):
            assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == []
    gc.collect(1)
    # One that was deleted while open still has its name here.
    assert not [one for one in map(os.path.realpath, FILES.iterdir()) if str(tmp_path) in one]


def test_one_image_is_worked_on_at_a_time_and_few_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    entered, leave = threading.Semaphore(0), threading.Event()
    running: list[int] = []
    most: list[int] = []

    def slow(*_: object) -> dict[str, Any]:
        running.append(1)
        most.append(len(running))
        entered.release()
        leave.wait(30)
        running.pop()
        return {"format": "PNG", "width": 1, "height": 1, "frames": 1}

    monkeypatch.setattr(images, "_run_worker", slow)
    outcomes: list[ProcessedImage | RateLimited] = []

    def upload() -> None:
        try:
            outcomes.append(normalize(BytesIO(b"x"), Limits(queue_timeout=30)))
        except RateLimited as busy:
            outcomes.append(busy)
            entered.release()

    threads = [threading.Thread(target=upload) for _ in range(6)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        assert entered.acquire(timeout=30)
    leave.set()
    for thread in threads:
        thread.join()
    refused = [outcome for outcome in outcomes if isinstance(outcome, RateLimited)]
    assert len(refused) == 2
    assert refused[0].retry_after == 30
    assert max(most) == 1
    for outcome in outcomes:
        if isinstance(outcome, ProcessedImage):
            outcome.close()


def test_an_upload_that_waits_too_long_is_refused_with_retry_after() -> None:
    with images._turn(Limits(), None), pytest.raises(RateLimited) as caught:
        normalize(BytesIO(b"x"), Limits(queue_timeout=0))
    assert caught.value.retry_after >= 1
