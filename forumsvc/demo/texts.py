"""The texts of the demo: titles, topics and replies in Markdown, with their HTML.

Rendering ten million texts would take hours. So texts are composed of some thousands of blocks,
each rendered once. Markdown with separate blocks renders block by block (see `prose`), so the HTML
of a text is that of its blocks, one after another.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .grammar import Words, expand, sentence
from .names import CITIES
from .nodes import NODES, NodeTheme
from .prose import PROSE_WORDS
from .rng import stream
from .snippets import CODE_WORDS, SNIPPETS
from .social import TALK
from .titles import TITLE_WORDS, TITLES

Render = Callable[[str], str]
"""Markdown → HTML, as the service stores it in `body_html`."""

_MENTION_END = "endofmention"
"""A word in no template, which marks where the HTML of a mention ends."""


@dataclass(frozen=True)
class Text:
    """Markdown and its HTML."""

    body: str
    html: str


class Texts:
    """Composes texts, and caches their blocks.

    seed: the same seed gives the same texts; render: see `Render`; variants: how many different
    blocks of each kind there are for a subject, at least 1: more means more variety, and more
    rendering.
    """

    def __init__(self, seed: int, render: Render, variants: int) -> None:
        self._seed = seed
        self._render = render
        self._variants = variants
        self._words = [_words_of(theme) for theme in NODES]
        self._blocks: dict[tuple[str, int, int, int], Text] = {}
        self._openers: dict[str, str] = {}

    def title(self, node: int, subject: int, rng: random.Random) -> str:
        """Return a title of at most 255 characters.

        node: index into `NODES`; subject: index into its subjects; rng: the random generator.
        """
        theme = NODES[node]
        words = {**self._words[node], "subject": (theme.subjects[subject],)}
        templates = TITLES[theme.kind]
        return _expand_sentence(templates[int(rng.random() * len(templates))], words, rng)

    def topic(self, node: int, subject: int, chance: float, mention: str | None = None) -> Text:
        """Return the text of a topic: an opening, up to two blocks, an ending.

        chance: a random number in [0, 1); mention: the login that the ending mentions, if any.
        """
        opening, chance = self._roll(chance, self._variants)
        middle, chance = self._roll(chance, 3)
        parts = [self._block("openings", node, subject, opening)]
        block, chance = self._roll(chance, 2 * self._variants)
        parts += [self._block("blocks", node, subject, block + i) for i in range(middle)]
        ending, chance = self._roll(chance, self._variants)
        last = self._block("endings", node, 0, ending)
        parts.append(last if mention is None else self._with_mention(mention, last))
        return _join(parts)

    def reply(self, node: int, subject: int, chance: float, mention: str | None = None) -> Text:
        """Return the text of a reply: one or two blocks, and sometimes another sentence.

        chance: a random number in [0, 1); mention: the login that it mentions, if any.
        """
        length, chance = self._roll(chance, 20)
        block, chance = self._roll(chance, 2 * self._variants)
        text = self._block("replies", node, subject, block)
        if mention is not None:
            text = self._with_mention(mention, text)
        if length > 14:
            block, chance = self._roll(chance, 2 * self._variants)
            text = _join([text, self._block("replies", node, subject, block)])
        if length % 2 and text.html.endswith("</p>"):
            aside, chance = self._roll(chance, 4 * self._variants)
            text = _append_sentence(text, self._block("asides", node, 0, aside))
        return text

    @staticmethod
    def _roll(chance: float, sides: int) -> tuple[int, float]:
        """Roll a die with the rest of a random number; return the result and the new rest."""
        chance *= sides
        throw = int(chance)
        return throw, chance - throw

    def _block(self, sort: str, node: int, subject: int, variant: int) -> Text:
        key = (sort, node, subject, variant)
        block = self._blocks.get(key)
        if block is None:
            block = self._blocks[key] = self._make_block(*key)
        return block

    def _make_block(self, sort: str, node: int, subject: int, variant: int) -> Text:
        theme = NODES[node]
        rng = stream(self._seed, sort, node, subject, variant)
        # One name for each thing in a block, so that code and prose use the same.
        bound = {slot: (rng.choice(CODE_WORDS[slot]),) for slot in ("verb", "noun", "type")}
        words = {**self._words[node], **bound, "subject": (theme.subjects[subject],)}
        templates: Sequence[str] = getattr(TALK[theme.kind], sort)
        # In rotation, so that neighboring blocks of a text do not have the same form.
        template = templates[(variant + 5 * subject) % len(templates)]
        body = _expand_sentence(template, words, rng)
        return Text(body, self._render(body))

    def _with_mention(self, login: str, block: Text) -> Text:
        """Return `block` with a mention of `login` at its start."""
        if not block.html.startswith("<p>"):
            return _join([Text(f"@{login}", f"{self._mention_html(login).rstrip()}</p>"), block])
        html = self._mention_html(login) + block.html[len("<p>") :]
        return Text(f"@{login} {block.body}", html)

    def _mention_html(self, login: str) -> str:
        """Return the HTML of a paragraph that starts with a mention, up to its next word."""
        opener = self._openers.get(login)
        if opener is None:
            opener = self._render(f"@{login} {_MENTION_END}").partition(_MENTION_END)[0]
            self._openers[login] = opener
        return opener


def _expand_sentence(template: str, words: Words, rng: random.Random) -> str:
    text = expand(template, words, rng)
    # The name of a tool keeps its spelling at the start of a sentence: nh3, not Nh3.
    return text if template.startswith("«tool»") else sentence(text)


def _join(parts: Sequence[Text]) -> Text:
    return Text("\n\n".join(part.body for part in parts), "\n".join(part.html for part in parts))


def _append_sentence(text: Text, more: Text) -> Text:
    """Append the only paragraph of another text to the last paragraph of this text."""
    html = text.html[: -len("</p>")] + " " + more.html[len("<p>") :]
    return Text(f"{text.body} {more.body}", html)


def _words_of(theme: NodeTheme) -> Words:
    return {
        **TITLE_WORDS,
        **CODE_WORDS,
        **PROSE_WORDS,
        "city": CITIES,
        "tool": theme.tools,
        "code": tuple(f"```{theme.code}\n{code}\n```" for code in SNIPPETS[theme.code]),
    }
