"""Markdown to safe HTML, and the people it mentions.

Rendering happens in worker processes: importing this package loads no Markdown library.
"""

from forumsvc.markup.budget import RenderBudget
from forumsvc.markup.rendered_text import RENDERER_VERSION, Draft, linked_logins
from forumsvc.markup.renderer import Renderer

__all__ = ["RENDERER_VERSION", "Draft", "RenderBudget", "Renderer", "linked_logins"]
