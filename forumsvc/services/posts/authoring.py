"""From an author's Markdown to the stored HTML, with its mentions resolved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Session

from ...db.execution import ReadConnection
from ...errors import Invalid
from ...markup import RenderBudget, RenderedText, Renderer, linked_logins
from ...markup.mention_links import mentioned_logins
from ...queries import users
from ...settings import Settings
from .rules import Rules, rules_from_settings


@dataclass(frozen=True, slots=True)
class RenderedPost:
    """A rendered text that is not checked yet."""

    body: str
    text: RenderedText


@dataclass(frozen=True, slots=True)
class PostText:
    """A text ready to be stored.

    mentioned: the ids of the users to notify, in the order of the text, without those who are
    mentioned in quotations alone.
    """

    body: str
    html: str
    version: int
    mentioned: Sequence[int]


@dataclass(frozen=True, slots=True)
class Authoring:
    """Renders and checks the texts of a community.

    user_url: the template of a mention's link; max_mentions: how many users one text may notify;
    inline_recipients: how many followers are notified in the transaction of a post; budget: how
    much rendering time each author may use.
    """

    renderer: Renderer
    user_url: str
    max_mentions: int
    rules: Rules
    inline_recipients: int = 0
    budget: RenderBudget = field(default_factory=RenderBudget)

    def render(
        self, author_id: int, body: str, *, title: str | None = None, origin: str = ""
    ) -> RenderedPost:
        """Render a text.

        Rendering may take a second, during which no lock should be held: it is called before the
        first statement of a transaction. title: of the topic; origin: the request, for the log.
        Raises Invalid if title or text break a rule that needs no rendering, or the text shows
        nothing; RateLimited if the author's budget is used up, Unavailable if the machine is
        overloaded.
        """
        if title is not None:
            self.rules.check_title(title)
        self.rules.check_source(body)
        with self.budget.acquire(author_id) as used:
            rendered = self.renderer.render(
                body, origin=f"{origin}, user {author_id}", report_cpu_time=used
            )
        if rendered.is_empty:
            raise Invalid("body", "must not be empty")
        return RenderedPost(body, rendered)

    def write(
        self, db: Session, actor_id: int, rendered_post: RenderedPost, *, before: str | None = None
    ) -> PostText:
        """Return a rendered text as it is stored, with its mentions resolved.

        before: the HTML that this text replaces, None for a new post; users mentioned there are not
        notified again, and stay mentioned by a former login. Raises Invalid if the text breaks a
        rule.
        """
        rendered = rendered_post.text
        self.rules.check_rendered(db, actor_id, rendered, is_new=before is None)
        known, html = self._link_mentions(db, rendered, before)
        keys = [key for key in rendered.notified if key in known]
        old = linked_logins(before or "")
        mentioned = [known[key].id for key in keys[: self.max_mentions] if key not in old]
        return PostText(rendered_post.body, html, rendered.version, mentioned)

    def link_mentions(
        self, db: ReadConnection, rendered: RenderedText, *, before: str | None = None
    ) -> str:
        """Return the HTML of a rendered text, its mentions linked to existing users.

        before: as for `write`.
        """
        return self._link_mentions(db, rendered, before)[1]

    def _link_mentions(
        self, db: ReadConnection, rendered: RenderedText, before: str | None
    ) -> tuple[Mapping[str, Row[Any]], str]:
        """Return the users whom a text mentions, by the login as written, in lower case; and HTML.

        A link to a login that nobody has any more stays: the job of the renaming or erasure, which
        has not come to this text yet, finds the mention by it.
        """
        old = mentioned_logins(before or "", self.user_url)
        logins = {key: old.get(key, key) for key in map(str.lower, rendered.mentions)}
        result = users.mentioned(db, [*logins.values()]) if logins else {}
        known = {
            key: result[login.lower()] for key, login in logins.items() if login.lower() in result
        }
        unchanged = {key: old[key] for key in logins if key in old}
        present = {key: user.login for key, user in known.items()}
        return known, rendered.to_html(unchanged | present, self.user_url)


def authoring_from_settings(settings: Settings, ini_dir: Path, workers: int) -> Authoring:
    """Return what renders the texts of a community. workers: processes that render.

    ini_dir: the folder of the ini file. Raises SettingsError if a file of words cannot be read.
    """
    renderer = Renderer(
        workers,
        settings["markup.timeout"],
        settings["site.url"],
        wall_seconds=settings["markup.wall_seconds"],
    )
    return Authoring(
        renderer,
        settings["site.user_url"],
        settings["notifications.max_mentions"],
        rules_from_settings(settings, ini_dir),
        settings["notifications.inline_recipients"],
        RenderBudget(settings["markup.user_seconds_per_minute"]),
    )
