"""Markdown to safe HTML, and the people it mentions.

Rendering happens in worker processes: importing this package loads no Markdown library.
"""

from forumsvc.markup.draft import Draft
from forumsvc.markup.renderer import Renderer

RENDERER_VERSION = 1
"""Stored beside every `body_html`; raised whenever the same text would render to other HTML."""

__all__ = ["RENDERER_VERSION", "Draft", "Renderer"]
