"""The community's rules for texts, beyond the sizes that schemas check."""

import html
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...errors import Invalid
from ...markup import RenderedText
from ...models import Role, User
from ...settings import Settings, SettingsError
from ...texts import Message
from .forbidden_words import ForbiddenWords


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one community.

    newbie_posts: how many of a member's posts count as first ones; max_links, max_images: how many
    links to other hosts and images a first post may have, None: any number.
    """

    newbie_posts: int = 1
    max_links: int | None = None
    max_images: int | None = None
    forbidden: ForbiddenWords = field(default_factory=ForbiddenWords)

    def check_title(self, title: str) -> None:
        """Raise Invalid if a title breaks a rule."""
        self._check_words("title", title)

    def check_source(self, body: str) -> None:
        """Raise Invalid if the Markdown source breaks a rule."""
        if self.forbidden:
            # Finds words in alternative texts and titles, too.
            self._check_words("body", html.unescape(body))

    def check_rendered(
        self, db: Session, actor_id: int, rendered: RenderedText, *, is_new: bool
    ) -> None:
        """Raise Invalid if a rendered text breaks a rule.

        rendered: the rendered text, whose links and images are counted; is_new: whether it is a new
        post, not an edit.
        """
        if self.forbidden:
            self._check_words("body", rendered.text)
        links, images = self._excess(rendered)
        if (links or images) and self._is_newbie(db, actor_id, is_new):
            is_one = self.newbie_posts == 1
            which = Message("your first post") if is_one else Message("your first posts")
            what, most = Message("links"), self.max_links
            if not links:
                what, most = Message("images"), self.max_images
            given = {"which": which, "most": most, "what": what}
            raise Invalid("body", Message("%(which)s may have at most %(most)d %(what)s", **given))

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
        posts = User.topics_count + User.replies_count
        statement = select(posts.label("posts"), User.role).where(User.id == actor_id)
        actor = db.execute(statement).one()
        # An edited post is among those that are counted.
        first = actor.posts < self.newbie_posts + (0 if is_new else 1)
        return actor.role == Role.MEMBER and first


def rules_from_settings(settings: Settings, ini_dir: Path) -> Rules:
    """Return the rules of the settings.

    ini_dir: the folder of the ini file. Raises SettingsError if a file of words cannot be read.
    """
    words = settings["posts.forbidden_words"]
    try:
        forbidden = ForbiddenWords.parse(words, ini_dir)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"posts.forbidden_words: {words!r} cannot be read ({error}); it must be words "
            "separated by commas, or file: and the path of a text file in UTF-8, a word a line"
        ) from None
    return Rules(
        newbie_posts=settings["posts.newbie_posts"],
        max_links=settings["posts.newbie_max_links"],
        max_images=settings["posts.newbie_max_images"],
        forbidden=forbidden,
    )
