"""An animation whose frames wait in a file until the encoder asks for them."""

from PIL import Image

from forumsvc.media.frames import Spool


class Reel(Image.Image):
    """An image of `n_frames` frames, read from a spool one at a time.

    Pillow's encoders of animations walk over `n_frames` with `seek` and `load`.
    """

    def __init__(self, spool: Spool) -> None:
        super().__init__()
        self._spool = spool
        self._frame = -1
        self._mode, self._size = spool.mode, spool.size
        self.n_frames = spool.frames
        self.seek(0)

    def seek(self, frame: int) -> None:
        """Put frame number `frame` (from 0) in place."""
        if frame != self._frame:
            self.im = self._spool.canvas(frame).im
            self._frame = frame

    def tell(self) -> int:
        """Return the number of the frame in place."""
        return self._frame
