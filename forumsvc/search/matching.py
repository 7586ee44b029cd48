"""Comparing texts with the words and phrases of a query."""

from collections.abc import Iterable, Sequence

from .normal_form import normalize
from .tokens import Term, is_without_blanks, spans, without_apostrophes, word_sequence


class WordMatcher:
    """Finds the words of a query in texts."""

    def __init__(self, words: Sequence[Term]) -> None:
        self._words = words
        parts = [part for term in words for part in term.parts()]
        self._exact = {token for token, is_prefix in parts if not is_prefix}
        self._prefixes = tuple(token for token, is_prefix in parts if is_prefix)

    def judge(self, text: str) -> tuple[bool, bool]:
        """Return whether a text has all words, and whether it has any; neither without words."""
        if not self.may_match(text):
            return False, False
        tokens = tokens_of(text)
        return self.has_all(tokens), self.has_any(tokens)

    def may_match(self, text: str) -> bool:
        """Return False if a text surely has none of the words.

        Most texts have none, and this is quicker than to make their tokens.
        """
        plain = without_apostrophes(normalize(text))
        return any(part in plain for part in (*self._exact, *self._prefixes))

    def has_all(self, tokens: frozenset[str]) -> bool:
        """Return whether all words are among the tokens of a text."""
        return all(map(tokens.__contains__, self._exact)) and all(
            any(token.startswith(prefix) for token in tokens) for prefix in self._prefixes
        )

    def has_any(self, tokens: frozenset[str]) -> bool:
        """Return whether one of the words is among the tokens of a text."""
        return any(self._has(term, tokens) for term in self._words)

    def _has(self, term: Term, tokens: frozenset[str]) -> bool:
        return all(
            any(token.startswith(part) for token in tokens) if is_prefix else part in tokens
            for part, is_prefix in term.parts()
        )

    def matches(self, normal: str) -> Iterable[tuple[int, int]]:
        """Yield where tokens of the query stand in a text in normal form, in their order.

        Of a character that stands for the beginning of a pair only that character.
        """
        for token, start, end in spans(normal):
            if token in self._exact:
                yield start, end
            elif token.startswith(self._prefixes):
                is_character = len(token) <= 2 and token[0] in self._prefixes
                yield start, start + 1 if is_character else end


def tokens_of(text: str) -> frozenset[str]:
    return frozenset(token for token, _, _ in spans(normalize(text)))


class PhraseMatcher:
    """Compares texts with phrases: all of the first must be there, none of the second."""

    def __init__(self, phrases: Iterable[str], excluded: Iterable[str]) -> None:
        self._phrases = [*map(_phrase, phrases)]
        self._excluded = [*map(_phrase, excluded)]

    def matches(self, text: str) -> bool:
        """Return whether a text has the words of the phrases one behind the other, whatever
        separates them. A phrase may begin and end within a run of a script without blanks.
        """
        words = f" {word_sequence(text)} "
        return all(phrase in words for phrase in self._phrases) and not any(
            item in words for item in self._excluded
        )


def _phrase(text: str) -> str:
    words = word_sequence(text)
    before = "" if is_without_blanks(words[:1]) else " "
    after = "" if is_without_blanks(words[-1:]) else " "
    return f"{before}{words}{after}"
