"""The Markdown dialect: Python-Markdown, extensions, and corrections towards CommonMark."""

from forumsvc.markup.syntax.parser import MarkdownParser

__all__ = ["MarkdownParser"]
