"""A picture to upload."""

from io import BytesIO

from PIL import Image
from webtest import Upload


def png(name: str = "picture.png") -> Upload:
    """Return a small picture, as a form sends it."""
    file = BytesIO()
    Image.new("RGB", (300, 200), "teal").save(file, "PNG")
    return Upload(name, file.getvalue(), "image/png")
