"""The texts of the demo: titles, topics and replies in Markdown.

subject, in all functions: what the text is about, one of the theme's, or None for a random one.
"""

import random

from .grammar import expand, sentence
from .language import Theme

MAX_TITLE = 255


def title(theme: Theme, rng: random.Random, subject: str | None = None) -> str:
    return _expand(theme, rng.choice(theme.titles), rng, subject)[:MAX_TITLE]


def topic(
    theme: Theme, rng: random.Random, subject: str | None = None, mention: str | None = None
) -> str:
    """Return the text of a topic. mention: the login that it mentions, if any."""
    ending = _expand(theme, rng.choice(theme.talk.endings), rng, subject)
    last = ending if mention is None else f"@{mention} {ending}"
    return "\n\n".join([opening(theme, rng, subject), *_middle(theme, rng, subject), last])


def opening(theme: Theme, rng: random.Random, subject: str | None = None) -> str:
    """Return the first paragraph of a topic."""
    return _expand(theme, rng.choice(theme.talk.openings), rng, subject)


def reply(
    theme: Theme, rng: random.Random, subject: str | None = None, mention: str | None = None
) -> str:
    """Return the text of a reply. mention: the login that it mentions, if any."""
    text = answer(theme, rng, subject, may_quote=mention is None)
    length = rng.random()
    if length < 0.3:
        text += "\n\n" + paragraph(theme, rng)
    elif length < 0.5:
        text += "\n\n" + _expand(theme, rng.choice(theme.language.asides), rng, subject)
    return text if mention is None else f"@{mention} {text}"


def answer(
    theme: Theme, rng: random.Random, subject: str | None = None, *, may_quote: bool = True
) -> str:
    """Return the first blocks of a reply. may_quote: whether it may begin with a quotation."""
    templates = [one for one in theme.talk.replies if may_quote or not one.startswith(">")]
    return _expand(theme, rng.choice(templates), rng, subject)


def paragraph(theme: Theme, rng: random.Random, sentences: int = 2) -> str:
    """Return a paragraph with words of the whole vocabulary."""
    chosen = rng.sample(theme.language.sentences, sentences)
    return theme.language.joiner.join(_expand(theme, one, rng, None) for one in chosen)


def _middle(theme: Theme, rng: random.Random, subject: str | None) -> list[str]:
    blocks = rng.sample(theme.talk.blocks, rng.randrange(3))
    more = [paragraph(theme, rng)] if rng.random() < 0.3 else []
    return [*(_expand(theme, block, rng, subject) for block in blocks), *more]


def _expand(theme: Theme, template: str, rng: random.Random, subject: str | None) -> str:
    text = expand(template, theme.words_about(rng, subject), rng)
    # The name of a tool keeps its spelling at the start of a sentence: nh3, not Nh3.
    return text if template.startswith("«tool»") else sentence(text)
