"""Nobody finds what they may not see, however far behind the index is."""

from collections.abc import Callable

import pytest
from sqlalchemy import update

from forumsvc import clock
from forumsvc.models import Reply, Topic, UserBlock
from forumsvc.services.search.reindexing import reindex
from tests.functional.forum import Caller, Forum, Person
from tests.functional.rows import insert_row

pytestmark = pytest.mark.both_databases

Hide = Callable[[Forum, dict[str, int]], None]
CALLERS = (
    *("nobody", "member", "author", "newbie", "blocked", "vip", "maintainer", "admin"),
    "moderate",
)


def _set(model: type[Topic | Reply], name: str, column: str) -> Hide:
    def hide(forum: Forum, ids: dict[str, int]) -> None:
        with forum.database.session.begin() as db:
            db.execute(update(model).where(model.id == ids[name]).values({column: clock.now()}))

    return hide


def _block_author(forum: Forum, ids: dict[str, int]) -> None:
    with forum.database.session.begin() as db:
        for name in ("member", "newbie", "vip", "maintainer", "admin", "blocked"):
            insert_row(db, UserBlock, user_id=ids[name], target_id=ids["author"])


HIDDEN: dict[str, Hide] = {
    "a banned topic": _set(Topic, "topic", "banned_at"),
    "a deleted topic": _set(Topic, "topic", "deleted_at"),
    "a deleted reply": _set(Reply, "reply", "deleted_at"),
    "a blocked author": _block_author,
}
FINDS: dict[str, dict[str, tuple[set[str], set[str]]]] = {
    # what is hidden: the caller: which topics and which replies they still find
    "a banned topic": dict.fromkeys(CALLERS, ({"other"}, {"other"})),
    "a deleted topic": dict.fromkeys(CALLERS, ({"other"}, {"other"})),
    "a deleted reply": dict.fromkeys(CALLERS, ({"topic", "other"}, {"other", "answer"})),
    "a blocked author": {
        # The reply of the author to another's topic is left out, and so is the author's topic.
        **dict.fromkeys(CALLERS, ({"other"}, {"answer"})),
        **dict.fromkeys(
            ("nobody", "author", "moderate"), ({"topic", "other"}, {"reply", "other", "answer"})
        ),
    },
}


@pytest.fixture
def people(forum: Forum) -> dict[str, Caller]:
    """A caller of each kind."""
    made: dict[str, Person] = {
        "newbie": forum.person("newbie", age_days=0),
        "vip": forum.person("vip", role="vip"),
        "maintainer": forum.person("maintainer", role="maintainer"),
        "admin": forum.person("admin", role="admin"),
        **{name: forum.person(name) for name in ("member", "author", "blocked", "bystander")},
    }
    forum.change(made["blocked"].id, state="blocked")
    moderator = forum.person("moderate", role="maintainer", scope="read moderate")
    return {"nobody": forum.nobody, **made, "moderate": moderator}


@pytest.fixture
def ids(forum: Forum, people: dict[str, Caller], node: int) -> dict[str, int]:
    """Posts with the same word: the author's topic with two replies, and another topic."""
    author, bystander = people["author"], people["bystander"]
    assert isinstance(author, Person)
    assert isinstance(bystander, Person)
    topic = forum.topic(author, node, title="Word", body="word")
    other = forum.topic(bystander, node, title="Word", body="word")
    found = {
        "topic": topic,
        "other": other,
        "reply": forum.reply(author, topic, "word"),
        "answer": forum.reply(bystander, topic, "word"),
        "other reply": forum.reply(author, other, "word"),
    }
    reindex(forum.database)
    return {**found, **{name: one.id for name, one in people.items() if isinstance(one, Person)}}


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_is_hidden_is_not_in_the_next_answer(forum, people, ids, hidden):
    HIDDEN[hidden](forum, ids)
    names = {ids["topic"]: "topic", ids["other"]: "other"}
    replies = {ids["reply"]: "reply", ids["answer"]: "answer", ids["other reply"]: "other"}
    seen = {}
    for name in CALLERS:
        shown = [one["id"] for one in people[name].get("/search/topics", q="word").json]
        answers = [one["id"] for one in people[name].get("/search/replies", q="word").json]
        assert len(shown) == len({*shown})
        seen[name] = {names[one] for one in shown}, {replies[one] for one in answers}
    assert seen == FINDS[hidden]


def test_moderators_find_what_is_hidden_where_they_ask_for_it(forum, people, ids):
    HIDDEN["a banned topic"](forum, ids)
    HIDDEN["a deleted reply"](forum, ids)
    caller = people["moderate"]
    topics = caller.get("/search/topics", q="word", include_hidden="true").json
    assert {one["id"] for one in topics} == {ids["topic"], ids["other"]}
    replies = caller.get("/search/replies", q="word", include_hidden="true").json
    assert {one["id"] for one in replies} == {ids["reply"], ids["answer"], ids["other reply"]}
    for name in CALLERS[:-1]:
        refused = people[name].get("/search/topics", q="word", include_hidden="true")
        assert refused.status_int in (401, 403), name


def test_a_moved_topic_is_found_in_its_node_alone_before_it_is_indexed_again(
    forum, people, ids, node
):
    new_node = forum.node("New")
    with forum.database.session.begin() as db:
        db.execute(update(Topic).where(Topic.id == ids["topic"]).values(node_id=new_node))
    found = forum.nobody.get("/search/topics", q="word", node_id=node).json
    assert [one["id"] for one in found] == [ids["other"]]
