"""Texts for people that the pages show in the language of the reader."""

from typing import Any


class Time(str):
    """A time as RFC 3339 text among the values of a Message: the pages show it in words."""

    __slots__ = ()


class Message(str):
    """A text in English, which the catalogues in `locale/` have in other languages.

    It is an ordinary string wherever no language matters, in answers of the API above all.
    msgid: the entry of the catalogues; values: what stands for its `%(name)s`.
    """

    __slots__ = ("msgid", "values")

    msgid: str
    values: dict[str, Any]

    def __new__(cls, msgid: str, **values: Any) -> "Message":
        """Make the text. msgid: a literal, for `make generated` reads it from the code."""
        self = super().__new__(cls, msgid % values if values else msgid)
        self.msgid, self.values = msgid, values
        return self


class Clause(Message):
    """A reason of `Invalid` with a subject of its own: the others go on from the field's name."""

    __slots__ = ()
