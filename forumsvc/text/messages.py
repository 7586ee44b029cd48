"""Texts for people that the pages show in the language of the reader."""

from typing import Any, Self


class Time(str):
    """A time as RFC 3339 text among the values of a Message: the pages show it in words."""

    __slots__ = ()


class Message(str):
    """A text in English, which the catalogues in `locale/` have in other languages.

    It is an ordinary string wherever no language matters, in answers of the API above all.
    msgid: the entry of the catalogues; values: what stands for its `%(name)s`; code: of the error
    that it explains, if that is another than of its class (`text.error_codes`).
    """

    __slots__ = ("code", "msgid", "values")

    code: Any
    msgid: str
    values: dict[str, Any]

    def __new__(cls, msgid: str, **values: Any) -> "Message":
        """Make the text. msgid: a literal, for `make generated` reads it from the code."""
        self = super().__new__(cls, msgid % values if values else msgid)
        self.code, self.msgid, self.values = None, msgid, values
        return self

    def coded(self, code: str) -> Self:
        """Set the code of the error that this text explains, and return the text."""
        self.code = code
        return self


def isolated(text: str) -> str:
    """Return a text that leaves the words and signs around it where they are (Unicode UAX 9).

    A text from left to right among words from right to left, or the other way around, else takes
    along what stands beside it: a full stop, a bracket, a number.
    """
    return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"


class Clause(Message):
    """A reason of `Invalid` with a subject of its own: the others go on from the field's name."""

    __slots__ = ()
