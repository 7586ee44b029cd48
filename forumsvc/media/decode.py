"""Pillow's decoders, kept to the format that was found, and their errors told as refusals."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import ParamSpec, TypeVar

from PIL import Image, UnidentifiedImageError

from forumsvc.media.formats.header import Data, Outline, refuse

T = TypeVar("T")
P = ParamSpec("P")


@contextmanager
def opened(data: Data, outline: Outline) -> Iterator[Image.Image]:
    """Open the bare picture with the decoder that its outline names, and no other."""
    with TemporaryFile() as bare:
        for piece in outline.bare(data):
            bare.write(piece)
        bare.seek(0)
        with attempt(Image.open, bare, formats=[outline.format]) as image:
            yield image


def attempt(step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a step of decoding gives; where it fails or warns, raise Invalid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return step(*args, **kwargs)
    except MemoryError:
        raise
    except UnidentifiedImageError:
        refuse("broken: the picture's header cannot be read")
    except Exception as error:  # decoders raise whatever broken data brings them to
        refuse(f"broken: the picture cannot be decoded ({error})")
