"""Texts of 64 KB that make Markdown parsers slow, deep or large."""

SIZE = 65_536


def _filled(unit: str) -> str:
    return (unit * (SIZE // len(unit) + 1))[:SIZE]


_REPEATED = {
    "image openings": "![",
    "brackets": "[",
    "links in links": "[[a](b)](c)",
    "unfinished links": "[a](b",
    "footnote-like text": "[^1]: ",
    "tag openings": "<a ",
    "attributes": "<b title=",
    "open elements": "<b><i><u>",
    "misnested elements": "</b><b>",
    "blocks of HTML": "<details>\n\n",
    "comments": "<!--",
    "processing instructions": "<?",
    "unfinished scripts": "<script>",
    "bullets on one line": "* ",
    "bullets": "- a\n",
    "loose bullets": "- a\n\n",
    "numbers": "1) a\n",
    "tasks": "- [ ] a\n",
    "quotes on one line": "> ",
    "quotes": "> a\n\n",
    "emphasis runs": "**a*",
    "underscores": "_a__",
    "strikethrough runs": "~~a",
    "backticks": "``a`",
    "backslashes": "\\",
    "entities": "&amp;",
    "unfinished entities": "&#",
    "tables": "|a|b|\n|-|-|\n",
    "fences": "```\n",
    "underlined headings": "a\n=\n",
    "rules": "---\n",
    "addresses": "http://a.b ",
    "mail addresses": "a@b.c ",
    "mentions": "@ab ",
    "floor references": "#1 ",
    "emoji": ":smile:",
    "colons": ":a",
    "line breaks": "a  \n",
    "carriage returns": "\r",
    "wide characters": "\U0001f600",
}

_FORMATTING = "".join(f"<b title={number}>" for number in range(2_000))

TEXTS = {
    **{name: _filled(unit) for name, unit in _REPEATED.items()},
    "nested bullets": "".join("  " * depth + "- a\n" for depth in range(250)),
    "nested quotes": "\n".join(">" * depth + " a" for depth in range(350)),
    "a wide table": "|a" * 10_000 + "|\n" + "|-" * 10_000 + "|\n" + "|b" * 10_000 + "|\n",
    "a table of empty cells": "|a" * 9_000 + "|\n" + "|-" * 9_000 + "|\n" + "b\n" * 3_000,
    "formatting that every paragraph repeats": _FORMATTING + "<p>" * 8_000,
    "large code": "```python\n" + _filled('x = "') + "\n```",
    "many code blocks": ("```python\n" + "x = (1, 2)  # x\n" * 1_200 + "```\n\n") * 3,
    "code of one token": "```python\n" + "(" * 19_000 + "\n```",
}
"""What it is -> the text."""
