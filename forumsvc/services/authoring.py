"""From what an author typed to what is stored: rendered, with the mentioned users found."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from sqlalchemy.orm import Session

from ..markup import Draft, Renderer, linked_logins
from ..queries import users
from ..queries.reading import Reader
from .rules import Rules

_Ready = tuple[Draft, Callable[[], Mapping[str, Any]]]
"""A rendered text, and what gives the users that it may mention, by lower-case login."""

# A text can name thousands; those beyond stay plain text.
_MOST_LINKED = 500


@dataclass(frozen=True, slots=True)
class Text:
    """A text ready to be stored.

    mentioned: the ids of the users to tell, in the order of the text.
    """

    body: str
    html: str
    version: int
    mentioned: Sequence[int]


@dataclass(frozen=True, slots=True)
class Authoring:
    """How texts become HTML here.

    user_url: the template of a mention's link; max_mentions: how many users one text may tell;
    ready: texts that are rendered already.
    """

    renderer: Renderer
    user_url: str
    max_mentions: int
    rules: Rules
    ready: Mapping[str, _Ready] = field(default_factory=dict)

    def ahead(self, db: Session, body: str) -> Self:
        """Return the same authoring, with a text rendered.

        Rendering may take a second, in which no lock should be held: whoever calls this does so
        before the first statement of a transaction that locks.
        """
        return replace(self, ready={body: self._rendered(db, body)})

    def write(
        self,
        db: Session,
        actor_id: int,
        body: str,
        *,
        title: str | None = None,
        before: str | None = None,
    ) -> Text:
        """Render a text and resolve its mentions, in one query if there are any.

        title: what stands above it; before: the HTML of the text that this one replaces, None for
        a new post; whom that mentioned already is not told again. Raises Invalid where title or
        text break a rule.
        """
        if title is not None:
            self.rules.check_title(title)
        draft, users_found = self.ready.get(body) or self._rendered(db, body)
        self.rules.check_body(db, actor_id, body, draft, new=before is None)
        known = users_found()
        keys = [key for login in draft.mentions if (key := login.lower()) in known]
        old = linked_logins(before or "")
        mentioned = [known[key].id for key in keys[: self.max_mentions] if key not in old]
        return Text(body, self._link(draft, known), draft.version, mentioned)

    def link(self, db: Reader, draft: Draft) -> str:
        """Return the HTML of a rendered text, its mentions linked to the users there are today."""
        candidates = draft.mentions[:_MOST_LINKED]
        return self._link(draft, users.mentioned(db, candidates) if candidates else {})

    def _rendered(self, db: Session, body: str) -> _Ready:
        draft = self.renderer.render(body)
        candidates = draft.mentions[:_MOST_LINKED]
        return draft, users.ask_mentioned(db, candidates) if candidates else dict

    def _link(self, draft: Draft, known: Mapping[str, Any]) -> str:
        return draft.link({key: found.login for key, found in known.items()}, self.user_url)
