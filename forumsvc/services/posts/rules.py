"""The community's rules for texts, beyond the sizes that schemas check."""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from ...errors import Invalid
from ...markup import RenderedText
from ...markup.text_content import text_content
from ...models import HoldReason, User
from ...models.user import MODERATORS, Role
from ...settings import Settings, SettingsError
from ...text.messages import Clause, Message
from ...text.unicode_forms import INVISIBLE, normalized, stream_safe

FROM_FILE = "file:"
_ZEROS = re.compile(r"&#0+(?=\d)")
_TOO_LARGE = re.compile(r"&#\d{8,};?")
"""No character has such a number, and Python converts none of more than 4,300 digits."""
_LIGATURES = re.compile("([\ufdfa\ufdfb])[\ufdfa\ufdfb]+")
"""Runs of phrases in one character, of which NFKC makes 18 letters and 8; no other has so many."""


class ForbiddenWords:
    """A list of words and phrases to search for.

    The search ignores case, the width of letters (NFKC) and invisible characters. It finds whole
    words; in scripts without blanks between words, it finds them anywhere.
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        """words: as an admin writes them; empty ones are ignored."""
        normal = {_normal(word).strip(): word.strip() for word in words}
        self._words = {key: word for key, word in normal.items() if key}

    @classmethod
    def parse(cls, setting: str, base_dir: Path) -> Self:
        """Return the words of a setting: separated by commas, or `file:PATH`, a word a line.

        In a file, lines that begin with `#` are comments. base_dir: the base of a relative path.
        Raises OSError or UnicodeDecodeError if the file cannot be read.
        """
        if not setting.startswith(FROM_FILE):
            return cls(setting.split(","))
        lines = (
            (base_dir / Path(setting.removeprefix(FROM_FILE)).expanduser())
            .read_text(encoding="utf-8")
            .splitlines()
        )
        return cls(line for line in lines if not line.startswith("#"))

    def __bool__(self) -> bool:
        return bool(self._words)

    def find_in(self, text: str) -> str | None:
        """Return a forbidden word in the text, as the admin wrote it, or None."""
        return next(self._find(text), None)

    def all_in(self, text: str) -> set[str]:
        """Return all forbidden words in the text, as the admin wrote them."""
        return {*self._find(text)}

    def _find(self, text: str) -> Iterator[str]:
        normal = _normal(text)
        return (word for key, word in self._words.items() if _contains(normal, key))


def decode_references(source: str) -> str:
    """Return Markdown with the characters that `&amp;` and `&#64;` stand for."""
    return html.unescape(_TOO_LARGE.sub("\ufffd", _ZEROS.sub("&#", source)))


def _normal(text: str) -> str:
    if not text.isascii():
        # Before: an invisible character may stand between a letter and its mark.
        text = normalized("NFKC", _LIGATURES.sub(r"\1", INVISIBLE.sub("", stream_safe(text))))
    return " ".join(text.casefold().split())


def _contains(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (
            _is_inside_word(text[at - 1 : at], word[0])
            or _is_inside_word(word[-1], text[end : end + 1])
        ):
            return True
        at = text.find(word, at + 1)
    return False


def _is_inside_word(left: str, right: str) -> bool:
    """Return whether two characters belong to one word; letters without case never do."""
    return _is_word_character(left) and _is_word_character(right)


def _is_word_character(character: str) -> bool:
    return character.isdigit() or character.lower() != character.upper()


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one community.

    newbie_posts: how many of a member's posts count as first ones; max_links, max_images: how many
    links to other hosts and images a first post may have, None: any number; holds_newbies: whether
    a new post with more of them waits for a moderator instead of being refused; hold_first: so many
    first posts of a member wait for a moderator; held: words with which a new post waits.
    """

    newbie_posts: int = 1
    max_links: int | None = None
    max_images: int | None = None
    forbidden: ForbiddenWords = field(default_factory=ForbiddenWords)
    holds_newbies: bool = False
    hold_first: int = 0
    held: ForbiddenWords = field(default_factory=ForbiddenWords)

    @property
    def may_hold(self) -> bool:
        """Whether any new post can have to wait for a moderator."""
        return bool(self.hold_first or self.holds_newbies or self.held)

    def check_title(self, title: str) -> None:
        """Raise Invalid if a title has a forbidden word."""
        self._check_words("title", title)

    def check_source(self, body: str) -> None:
        """Raise Invalid if the Markdown source breaks a rule."""
        if self.forbidden:
            # Finds words in alternative texts and titles, too.
            self._check_words("body", decode_references(body))

    def check_rendered(
        self, db: Session, actor_id: int, rendered: RenderedText, *, is_new: bool
    ) -> None:
        """Raise Invalid if a rendered text breaks a rule.

        rendered: the rendered text, whose links and images are counted; is_new: whether it is a new
        post, not an edit.
        """
        if self.forbidden:
            self._check_words("body", rendered.text)
        if is_new and self.holds_newbies:
            return
        links, images = self._excess(rendered)
        if (links or images) and self._is_newbie(db, actor_id, is_new):
            is_one = self.newbie_posts == 1
            which = Message("your first post") if is_one else Message("your first posts")
            label, most = Message("links"), self.max_links
            if not links:
                label, most = Message("images"), self.max_images
            values = {"which": which, "most": most, "what": label}
            raise Invalid("body", Clause("%(which)s may have at most %(most)d %(what)s", **values))

    def reason_to_hold(
        self, db: Session, actor_id: int, rendered: RenderedText, source: str, title: str | None
    ) -> HoldReason | None:
        """Return why a new post has to wait for a moderator, or None. Moderators' never wait.

        rendered, source: of the body; title: of a topic, None for a reply.
        """
        if not self.may_hold:
            return None
        author = self._author(db, actor_id)
        if author.role in MODERATORS:
            return None
        texts = (title or "", decode_references(source), rendered.text)
        if self.held and any(self.held.find_in(text) for text in texts):
            return HoldReason.WORD
        if author.role == Role.MEMBER and author.posts < self.hold_first:
            return HoldReason.FIRST_POST
        is_newbie = author.role == Role.MEMBER and author.posts < self.newbie_posts
        if self.holds_newbies and is_newbie and any(self._excess(rendered)):
            return HoldReason.LINKS
        return None

    def check_edited_body(
        self, db: Session, actor_id: int, before: tuple[str, str], body: str, rendered: RenderedText
    ) -> None:
        """See `check_added`. before: the stored Markdown and HTML; body, rendered: the new ones."""
        if self.held:
            old_body, old_html = before
            old = [decode_references(old_body), text_content(old_html)]
            new = [decode_references(body), rendered.text]
            self.check_added(db, actor_id, "body", old, new)

    def check_added(
        self, db: Session, actor_id: int, field_name: str, before: list[str], after: list[str]
    ) -> None:
        """Raise Invalid if an edit adds a word with which a new post waits, unless a moderator
        edits.
        """
        added = set[str]().union(*map(self.held.all_in, after))
        if added:
            added = added.difference(*map(self.held.all_in, before))
        if added and self._author(db, actor_id).role not in MODERATORS:
            text = Message("holds a word that only a new post may have: %(word)s", word=min(added))
            raise Invalid(field_name, text)

    def _check_words(self, field_name: str, *texts: str) -> None:
        for text in texts:
            word = self.forbidden.find_in(text)
            if word is not None:
                raise Invalid(
                    field_name,
                    Message("holds a word that is not allowed here: %(word)s", word=word),
                )

    def _excess(self, rendered: RenderedText) -> tuple[bool, bool]:
        return (
            self.max_links is not None and rendered.links > self.max_links,
            self.max_images is not None and rendered.images > self.max_images,
        )

    def _is_newbie(self, db: Session, actor_id: int, is_new: bool) -> bool:
        actor = self._author(db, actor_id)
        # An edited post is among those that are counted.
        first = actor.posts < self.newbie_posts + (0 if is_new else 1)
        return actor.role == Role.MEMBER and first

    def _author(self, db: Session, actor_id: int) -> Row[Any]:
        posts: Any = User.topics_count + User.replies_count
        role: Any = User.role
        return db.execute(select(posts.label("posts"), role).where(User.id == actor_id)).one()


def rules_from_settings(settings: Settings, ini_dir: Path) -> Rules:
    """Return the rules of the settings.

    ini_dir: the folder of the ini file. Raises SettingsError if a file of words cannot be read.
    """
    return Rules(
        newbie_posts=settings["posts.newbie_posts"],
        max_links=settings["posts.newbie_max_links"],
        max_images=settings["posts.newbie_max_images"],
        forbidden=_words(settings, ini_dir, "posts.forbidden_words"),
        holds_newbies=settings["posts.newbie_action"] == "hold",
        hold_first=settings["posts.hold_first"] or 0,
        held=_words(settings, ini_dir, "posts.held_words"),
    )


def _words(settings: Settings, ini_dir: Path, key: str) -> ForbiddenWords:
    words = settings[key]
    try:
        return ForbiddenWords.parse(words, ini_dir)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{key}: {words!r} cannot be read ({error}); it must be words "
            "separated by commas, or file: and the path of a text file in UTF-8, a word a line"
        ) from None
