"""Runs Pillow's decoders, limited to the detected format; their errors become Invalid."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import ParamSpec, TypeVar

from PIL import Image, UnidentifiedImageError

from forumsvc.media.formats.header import Data, ImageHeader, refuse

T = TypeVar("T")
P = ParamSpec("P")


@contextmanager
def open_image(data: Data, header: ImageHeader) -> Iterator[Image.Image]:
    """Open the image, without its metadata, with the decoder of the format in its header only."""
    with TemporaryFile() as file:
        for chunk in header.without_metadata(data):
            file.write(chunk)
        file.seek(0)
        with run_decoder(Image.open, file, formats=[header.format]) as image:
            yield image


def run_decoder(step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of a decoding step; raise Invalid if it fails or warns."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return step(*args, **kwargs)
    except MemoryError:
        raise
    except UnidentifiedImageError:
        refuse("broken: the picture's header cannot be read")
    except Exception as error:  # broken data may make a decoder raise anything
        refuse(f"broken: the picture cannot be decoded ({error})")
