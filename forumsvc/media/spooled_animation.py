"""An animation whose frames are loaded from a file when the encoder asks for them."""

from PIL import Image

from forumsvc.media.frames import FrameBuffer


class SpooledAnimation(Image.Image):
    """An image of `n_frames` frames, read from a buffer one at a time.

    Pillow's encoders of animations iterate over `n_frames` with `seek` and `load`.
    """

    def __init__(self, buffer: FrameBuffer) -> None:
        super().__init__()
        self._buffer = buffer
        self._frame = -1
        self._mode, self._size = buffer.mode, buffer.size
        self.n_frames = buffer.frame_count
        self.seek(0)

    def seek(self, frame: int) -> None:
        """Load frame number `frame` (from 0)."""
        if frame != self._frame:
            self.im = self._buffer.image(frame).im
            self._frame = frame

    def tell(self) -> int:
        """Return the number of the loaded frame."""
        return self._frame
