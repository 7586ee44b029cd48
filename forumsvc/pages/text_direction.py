"""In which direction a text runs: that of most of its letters.

HTML takes that of the first letter (`dir="auto"`), but a sentence in Arabic may begin with a login,
with code, or with the name of a product.
"""

import re
from functools import lru_cache

_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:[^">]++|"[^"]*+")*+)>')
_BLOCKS = frozenset(
    [
        *("p", "dt", "dd", "td", "th", "summary", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("ul", "ol", "dl", "blockquote", "table", "details"),
    ]
)
_KEPT = 500
"""Of so many posts the HTML is kept, if it has at most `_MAX_KEPT` characters."""
_MAX_KEPT = 4_000
_MENTION = 'class="user-mention"'


def direction_of(text: str) -> str:
    """Return `rtl` or `ltr` for a text with letters from right to left, else `auto`.

    Tags in it do not count.
    """
    if not _RIGHT_TO_LEFT.search(text):
        return "auto"
    return _direction(*_count(_TAG.sub("", text)))


def with_directions(html: str) -> str:
    """Give each block of a post its direction, where a post has letters from right to left.

    Code and mentions do not count. The items of a list have its direction, as their marks stand on
    its side. html: well formed, as the sandbox returns it.
    """
    if not _RIGHT_TO_LEFT.search(html):
        return html
    return _kept(html) if len(html) <= _MAX_KEPT else _with_directions(html)


def _with_directions(html: str) -> str:
    parts: list[str] = []
    blocks: list[_Block] = []
    end, skipped, depth = 0, "", 0
    for tag in _TAG.finditer(html):
        slash, name, attributes = tag.groups()
        text = html[end : tag.start()]
        end = tag.end()
        if text and blocks and not skipped:
            blocks[-1].add(*_count(text))
        parts += [text, tag[0]]
        if skipped:
            if name == skipped:
                depth += -1 if slash else 1
                skipped = skipped if depth else ""
        elif not slash and (name in ("code", "pre") or (name == "a" and _MENTION in attributes)):
            skipped, depth = name, 1
        elif name in _BLOCKS:
            if not slash:
                blocks.append(_Block(len(parts) - 1))
            elif blocks:
                _close(blocks, parts)
    return "".join([*parts, html[end:]])


# A page of 50 posts would take 10 ms, each time that a member opens it.
_kept = lru_cache(_KEPT)(_with_directions)


class _Block:
    """An open block. start: where its tag is; right_to_left, all: how many letters it has."""

    def __init__(self, start: int) -> None:
        self.start, self.right_to_left, self.all = start, 0, 0

    def add(self, right_to_left: int, all_letters: int) -> None:
        self.right_to_left += right_to_left
        self.all += all_letters


def _close(blocks: list[_Block], parts: list[str]) -> None:
    block = blocks.pop()
    if blocks:
        blocks[-1].add(block.right_to_left, block.all)
    direction = _direction(block.right_to_left, block.all)
    start = parts[block.start]
    if direction and ' dir="' not in start:
        name, rest = re.match(r"<([a-z0-9]+)(.*)", start, re.DOTALL).groups()  # type: ignore[union-attr]
        parts[block.start] = f'<{name} dir="{direction}"{rest}'


def _count(text: str) -> tuple[int, int]:
    """Return how many letters of a text run from right to left, and how many it has."""
    runs = _LETTERS.findall(text)
    right_to_left = _RIGHT_TO_LEFT.findall("".join(runs))
    return sum(map(len, right_to_left)), sum(map(len, runs))


def _direction(right_to_left: int, all_letters: int) -> str:
    """Return the direction of most letters, "" without letters."""
    if not all_letters:
        return ""
    return "rtl" if 2 * right_to_left >= all_letters else "ltr"
