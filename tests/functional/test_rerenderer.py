"""The background worker renders texts again after an upgrade."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select, update

from forumsvc.background.job_runner import JobFailed
from forumsvc.background.periodic import Parts
from forumsvc.background.rerenderer import rerender
from forumsvc.errors import Unavailable
from forumsvc.markup import RENDERER_VERSION, Renderer
from forumsvc.models import Reply, ReplyWords, Topic
from forumsvc.search.tokens import TOKENS_VERSION
from forumsvc.services.posts import rerendering
from forumsvc.services.search import indexing
from forumsvc.services.search.reindexing import reindex
from tests.functional.forum import Forum
from tests.functional.notifications import notifications_of
from tests.unit.markup.hostile_texts import TEXTS

pytestmark = pytest.mark.both_databases

OLD = "<p>docker images shows </p>"
NEW = "<p>docker images shows &lt;none&gt; as the name</p>"


@pytest.fixture
def make_rerenderer(forum: Forum) -> Callable[[], Parts]:
    """A function: what a background worker that was just started does."""
    registry = forum.registry
    return lambda: rerender(forum.database, registry.authoring, registry.forum_settings)


def finish(parts: Parts) -> None:
    for _ in parts:
        pass


def stored(forum: Forum, post: Any) -> list[Any]:
    """Return id, HTML and version of all topics or replies."""
    columns: tuple[Any, ...] = (post.id, post.body_html, post.markup_version)
    with forum.database.reads.connect() as db:
        return [tuple(row) for row in db.execute(select(*columns).order_by(post.id))]


def upgrade(forum: Forum, post: Any, post_id: int, **values: Any) -> None:
    """Give a post what an older version of the renderer stored."""
    version = {"markup_version": RENDERER_VERSION - 1}
    with forum.database.session.begin() as db:
        db.execute(update(post).where(post.id == post_id).values(**version | values))


def test_texts_of_older_versions_are_rendered_and_found_and_nobody_is_notified(
    forum, alice, bob, topic, make_rerenderer
):
    replies = [
        forum.reply(alice, topic, text)
        for text in ("docker images shows <none> as the name", "same", "escaped", "newer", "@bob")
    ]
    shown = {reply_id: html for reply_id, html, _ in stored(forum, Reply)}
    before = forum.nobody.get(f"/replies/{replies[0]}").json["updated_at"]
    upgrade(forum, Reply, replies[0], body_html=OLD)
    upgrade(forum, Reply, replies[1])
    upgrade(forum, Reply, replies[2], body_html="<p>e</p>", markup_version=0)
    upgrade(forum, Reply, replies[3], body_html="<p>n</p>", markup_version=RENDERER_VERSION + 1)
    upgrade(forum, Reply, replies[4], body_html="<p>old</p>")
    upgrade(forum, Topic, topic, body_html="<p>old</p>")
    reindex(forum.database, from_scratch=True)
    with forum.database.session.begin() as db:
        outdated = {"version": TOKENS_VERSION - 1, "words": "old"}
        db.execute(update(ReplyWords).where(ReplyWords.id == replies[1]).values(**outdated))
    notified = len(notifications_of(bob))
    assert forum.nobody.get("/search/replies", q="none name").json == []
    finish(make_rerenderer())
    assert stored(forum, Reply) == [
        (replies[0], NEW, RENDERER_VERSION),
        (replies[1], shown[replies[1]], RENDERER_VERSION),
        (replies[2], "<p>e</p>", 0),
        (replies[3], "<p>n</p>", RENDERER_VERSION + 1),
        (replies[4], shown[replies[4]], RENDERER_VERSION),
    ]
    assert stored(forum, Topic)[0][1] != "<p>old</p>"
    answer = forum.nobody.get(f"/replies/{replies[0]}").json
    assert (answer["body_html"], answer["updated_at"]) == (NEW, before)
    found = forum.nobody.get("/search/replies", q="none name").json
    assert [one["id"] for one in found] == [replies[0]]
    found = forum.nobody.get("/search/replies", q="same").json
    assert [one["id"] for one in found] == [replies[1]]
    assert len(notifications_of(bob)) == notified


def test_a_run_that_is_stopped_or_fails_in_the_middle_is_continued_by_the_next(
    forum, alice, topic, make_rerenderer, monkeypatch
):
    monkeypatch.setattr(rerendering, "_BATCH", 2)
    for number in range(6):
        reply = forum.reply(alice, topic, f"docker images shows <none> as the name {number}")
        upgrade(forum, Reply, reply, body_html=OLD)
    stopped = make_rerenderer()
    next(stopped)
    stopped.close()
    assert [version for *_, version in stored(forum, Reply)].count(RENDERER_VERSION) == 2

    def fail(*_: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(indexing, "index_now", fail)
        with pytest.raises(RuntimeError):
            finish(make_rerenderer())
    assert [html for _, html, _ in stored(forum, Reply)].count(OLD) == 4
    finish(make_rerenderer())
    assert {(html[:-6], version) for _, html, version in stored(forum, Reply)} == {
        (NEW[:-4], RENDERER_VERSION)
    }
    assert len(forum.nobody.get("/search/replies", q="none name").json) == 6


def test_a_text_that_cannot_be_rendered_is_tried_once_and_a_busy_machine_later(
    forum, alice, topic, make_rerenderer, monkeypatch
):
    reply = forum.reply(alice, topic, "``a`" * 10)
    upgrade(forum, Reply, reply)

    def busy(*_: Any, **__: Any) -> None:
        raise Unavailable("busy")

    with monkeypatch.context() as patch:
        patch.setattr(Renderer, "render", busy)
        with pytest.raises(JobFailed, match="busy"):
            finish(make_rerenderer())
    assert stored(forum, Reply)[0][2] == RENDERER_VERSION - 1
    with forum.database.session.begin() as db:
        db.execute(update(Reply).values(body=TEXTS["a table of empty cells"]))
    finish(make_rerenderer())
    assert stored(forum, Reply)[0][2] == 0
    assert [*make_rerenderer()] == []
