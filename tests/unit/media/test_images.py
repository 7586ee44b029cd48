"""An upload becomes a file to store: in a separate process, in chunks, deterministically."""

import gc
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from forumsvc.errors import Invalid, RateLimited
from forumsvc.media import images
from forumsvc.media.images import normalize, thumbnail
from forumsvc.media.limits import Limits
from forumsvc.sandbox import SandboxProcess
from tests.cases import each
from tests.system.process import wait_until
from tests.unit.media.decompression_bombs import large, png_bomb
from tests.unit.media.sample_images import encoded, exif, scene


def digest(data: bytes) -> str:
    with normalize(BytesIO(data)) as image:
        return image.digest


@each("kind", ["PNG", "JPEG", "WEBP"])
def test_the_same_pixels_have_the_same_digest_whatever_the_metadata(kind):
    picture = scene("RGB")
    bare = encoded(picture, kind)
    noted = encoded(picture, kind, exif=exif())
    assert bare != noted
    assert digest(bare) == digest(bare) == digest(noted) == digest(noted + b"tail")


def test_an_upload_is_read_no_further_than_its_bound():
    source = BytesIO(bytes(1_000_000))
    with pytest.raises(Invalid, match="at most 200,000 bytes are allowed"):
        normalize(source, Limits(max_bytes=200_000))
    assert source.tell() <= 200_000 + 65_536


def test_an_upload_of_exactly_the_bound_is_taken():
    data = encoded(scene("RGB"), "PNG")
    normalize(BytesIO(data), Limits(max_bytes=len(data))).close()
    with pytest.raises(Invalid):
        normalize(BytesIO(data), Limits(max_bytes=len(data) - 1))


@each("job", [normalize, thumbnail])
def test_a_refusal_in_the_worker_is_a_refusal_here(job):
    with pytest.raises(Invalid) as caught:
        job(BytesIO(png_bomb()))
    assert caught.value.field == "file"
    assert "169,000,000" in caught.value.reason


@each("progressive", [False, True])
@each(("size", "stored"), [((99, 100), (50, 50)), ((101, 99), (26, 25))])
def test_a_jpeg_up_to_four_times_the_pixels_is_stored_smaller(size, stored, progressive):
    picture = scene("RGB", size)
    data = encoded(picture, "JPEG", progressive=progressive)
    with normalize(BytesIO(data), Limits(max_pixels=2500)) as image:
        assert (image.width, image.height) == stored
        assert Image.open(image.file).size == stored
    with pytest.raises(Invalid, match="at most 9,600 are allowed"):
        normalize(BytesIO(data), Limits(max_pixels=2400))


def doing(monkeypatch: pytest.MonkeyPatch, *job: object) -> None:
    """Let the worker do a job of `tests.unit.sandbox.task` instead."""

    class OtherJob(SandboxProcess):
        def send(self, _: Any, cpu_seconds: float, deadline: float) -> None:
            super().send(job, cpu_seconds, deadline)

    monkeypatch.setattr(images, "_TASK", "tests.unit.sandbox.task")
    monkeypatch.setattr(images, "SandboxProcess", OtherJob)


def test_the_worker_cannot_take_more_memory_than_it_may(monkeypatch):
    monkeypatch.setattr(Limits, "max_memory", 150_000_000)
    data = large("PNG", "RGBA", (5000, 5000), compress_level=1)
    with pytest.raises(Invalid, match="too large to decode: it takes more memory than is allowed"):
        normalize(BytesIO(data))


def test_a_decoder_that_waits_too_long_is_ended(monkeypatch):
    doing(monkeypatch, "sleep", 1000)
    with pytest.raises(Invalid, match="more than 1 seconds"):
        normalize(BytesIO(b"x"), Limits(wall_seconds=1))


def test_a_decoder_that_crashes_is_a_broken_image(monkeypatch):
    doing(monkeypatch, "kill", int(signal.SIGSEGV))
    with pytest.raises(Invalid, match="broken: the image stops its decoder"):
        normalize(BytesIO(b"x"))


def test_an_encoder_that_fails_is_a_broken_image(monkeypatch):
    doing(monkeypatch, "raise")
    with pytest.raises(Invalid, match="broken: the image cannot be encoded"):
        normalize(BytesIO(b"x"))


FILES = Path("/proc/self/fd")


def test_no_file_stays_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for data in (
        encoded(scene("RGB"), "PNG"),
        png_bomb(),
        b"",
    ):
        with suppress(Invalid), normalize(BytesIO(data)):
            assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == []
    gc.collect(1)
    # One that was deleted while open still has its name here.
    assert not [one for one in map(os.path.realpath, FILES.iterdir()) if str(tmp_path) in one]


def test_an_upload_that_waits_too_long_is_refused_with_retry_after():
    with images._turn(Limits(), None), pytest.raises(RateLimited) as caught:
        normalize(BytesIO(b"x"), Limits(queue_timeout=0))
    assert caught.value.retry_after >= 1


def test_no_more_than_three_uploads_wait_for_one():
    def upload() -> None:
        normalize(BytesIO(b"x"), Limits(queue_timeout=60))

    with ThreadPoolExecutor(4) as threads, images._turn(Limits(), None):
        waiting = [threads.submit(upload) for _ in range(3)]
        wait_until(lambda: len(images._QUEUE._waiting) == 3, "they wait")
        with pytest.raises(RateLimited):
            threads.submit(upload).result(30)
        assert not any(one.done() for one in waiting)
