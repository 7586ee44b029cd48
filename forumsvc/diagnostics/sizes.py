"""Check for size limits that contradict each other."""

from collections.abc import Iterator

from ..serving.options import Options
from ..settings import Settings
from .problem import Problem, error

_FORM_OVERHEAD = 1024
"""Approximate bytes of a multipart form without its image."""


def check(settings: Settings, options: Options | None) -> Iterator[Problem]:
    """Yield the limits that can never be reached, because another one is lower.

    options: those of the server, None if unknown.
    """
    body = settings["http.max_body"]
    if options is not None and body >= options.address.max_request_body_size:
        yield error(
            f"http.max_body: {body} bytes are not below max_request_body_size of [server:main], "
            f"{options.address.max_request_body_size}, which applies first and cuts the connection"
        )
    if settings["photos.max_bytes"] + _FORM_OVERHEAD > body:
        yield error(
            f"photos.max_bytes: an image of {settings['photos.max_bytes']} bytes in its form is "
            f"larger than http.max_body ({body}), which refuses it"
        )
    if settings["posts.max_body"] > body:
        yield error(
            f"posts.max_body: a text of {settings['posts.max_body']} characters is larger than "
            f"http.max_body ({body} bytes), which refuses it"
        )
