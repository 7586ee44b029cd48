"""The Markdown that authors write: Python-Markdown, its extensions, and what they lack."""

from forumsvc.markup.syntax.parser import MarkdownParser

__all__ = ["MarkdownParser"]
