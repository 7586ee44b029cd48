"""In which direction a text runs: that of its first letter, or from right to left all the same.

HTML takes that of the first letter (`dir="auto"`), but a sentence in Arabic may begin with a login,
with code, or with the name of a product, and a third of its letters may be all that is Arabic.
"""

import re
from functools import lru_cache
from typing import Self

_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_ADDRESS = re.compile(r"\b(?:https?://|www\.)[!-~]+")
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

    Tags and addresses in it do not count.
    """
    if not _RIGHT_TO_LEFT.search(text):
        return "auto"
    return _count(_TAG.sub("", text)).direction


def with_directions(html: str) -> str:
    """Give each block of a post its direction, where a post has letters from right to left.

    Code, addresses and mentions do not count. The items of a list have its direction, as their
    marks stand on its side. html: well formed, as the sandbox returns it.
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
            blocks[-1].letters.add(_count(text))
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


class _Letters:
    """The letters of a text: all, those from right to left, and whether the first one is."""

    def __init__(
        self, count: int = 0, right_to_left: int = 0, *, begins_right: bool = False
    ) -> None:
        self.count, self.right_to_left, self.begins_right = count, right_to_left, begins_right

    def add(self, more: Self) -> None:
        if not self.count:
            self.begins_right = more.begins_right
        self.count += more.count
        self.right_to_left += more.right_to_left

    @property
    def direction(self) -> str:
        """`rtl`, `ltr`, or "" without letters."""
        if not self.count:
            return ""
        return "rtl" if self.begins_right or 3 * self.right_to_left >= self.count else "ltr"


class _Block:
    """An open block. start: where its tag is."""

    def __init__(self, start: int) -> None:
        self.start, self.letters = start, _Letters()


def _close(blocks: list[_Block], parts: list[str]) -> None:
    block = blocks.pop()
    if blocks:
        blocks[-1].letters.add(block.letters)
    direction, start = block.letters.direction, parts[block.start]
    if direction and ' dir="' not in start:
        name, rest = re.match(r"<([a-z0-9]+)(.*)", start, re.DOTALL).groups()  # type: ignore[union-attr]
        parts[block.start] = f'<{name} dir="{direction}"{rest}'


def _count(text: str) -> _Letters:
    letters = "".join(_LETTERS.findall(_ADDRESS.sub("", text)))
    right_to_left = sum(map(len, _RIGHT_TO_LEFT.findall(letters)))
    begins_right = _RIGHT_TO_LEFT.match(letters) is not None
    return _Letters(len(letters), right_to_left, begins_right=begins_right)
