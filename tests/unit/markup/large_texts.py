"""144 kinds of text of 65,000 characters: every construct, repeated in four ways."""

SIZE = 65_000

_CONSTRUCTS = {
    "plain words": "some words",
    "heading": "# a",
    "closed heading": "## a ##",
    "underlined heading": "a\n===",
    "rule": "---",
    "bullet": "- a",
    "bullet with text": "- some words and *more*",
    "numbered item": "1. a",
    "task": "- [ ] a",
    "done task": "- [x] some words",
    "quote": "> a",
    "quoted bullet": "> - a",
    "bullet with a quote": "- > a",
    "table": "| a | b |\n|---|---|\n| c | d |",
    "table row": "| a | b |",
    "fence": "```\na\n```",
    "fenced Python": "```python\nx = 1\n```",
    "unfinished fence": "```",
    "indented code": "    a",
    "code span": "`a`",
    "unfinished code span": "``a`",
    "emphasis": "*a* **b** ***c***",
    "underscores": "_a_ __b__ ___c___",
    "unfinished emphasis": "**a*",
    "strikethrough": "~~a~~",
    "link": "[a](b)",
    "link with a title": '[a](http://b.c "d")',
    "unfinished link": "[a](b",
    "opening bracket": "[",
    "picture": "![a](b.png)",
    "unfinished picture": "![",
    "reference": "[a][b]",
    "definition": "[a]: http://b.c",
    "address": "http://a.b/c",
    "mention": "@ann #1 :smile:",
    "HTML": "<b>a</b> <!-- c --> &amp; <a ",
}
_WAYS = {"alone": "", "spaced": " ", "in lines": "\n", "in paragraphs": "\n\n"}


def filled(unit: str, size: int = SIZE) -> str:
    """Return the unit again and again, in `size` characters."""
    return (unit * (size // len(unit) + 1))[:size]


UNITS = {
    f"{construct} {way}": unit + between
    for construct, unit in _CONSTRUCTS.items()
    for way, between in _WAYS.items()
}
"""What is repeated: name -> text."""
