"""The parameters of the photo endpoints."""

from .fields import File, parameters, required

PHOTO_FORM = parameters(required("file", File()))
