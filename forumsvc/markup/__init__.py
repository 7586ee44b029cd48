"""Renders Markdown to safe HTML and finds the users that it mentions.

Rendering happens in worker processes: importing this package loads no Markdown library.
"""

from forumsvc.markup.budget import RenderBudget
from forumsvc.markup.rendered_text import RENDERER_VERSION, RenderedText, linked_logins
from forumsvc.markup.renderer import Renderer

__all__ = ["RENDERER_VERSION", "RenderBudget", "RenderedText", "Renderer", "linked_logins"]
