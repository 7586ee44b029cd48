"""From what an author typed to what is stored: rendered, with the mentioned users found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..markup import Draft, Renderer
from ..queries import users
from ..queries.reading import Reader

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

    user_url: the template of a mention's link; max_mentions: how many users one text may tell.
    """

    renderer: Renderer
    user_url: str
    max_mentions: int

    def write(self, db: Reader, body: str, *, before: str | None = None) -> Text:
        """Render a text and resolve its mentions, in one query if there are any.

        before: the text that this one replaces; whom that mentioned already is not told again.
        """
        draft = self.renderer.render(body)
        known = self._known(db, draft)
        html = draft.link({key: found.login for key, found in known.items()}, self.user_url)
        keys = [key for login in draft.mentions if (key := login.lower()) in known]
        old: set[str] = set()
        if keys and before is not None:
            old.update(login.lower() for login in self.renderer.render(before).mentions)
        mentioned = [known[key].id for key in keys[: self.max_mentions] if key not in old]
        return Text(body, html, draft.version, mentioned)

    def _known(self, db: Reader, draft: Draft) -> Mapping[str, Any]:
        candidates = draft.mentions[:_MOST_LINKED]
        return users.mentioned(db, candidates) if candidates else {}
