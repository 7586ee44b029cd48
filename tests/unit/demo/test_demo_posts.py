"""The posts of the demo: realistically skewed, different, and consistent in the order of time."""

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import select

from forumsvc.db.engine import Database
from forumsvc.markup import Renderer
from forumsvc.models import (
    Base,
    Favorite,
    Notification,
    Reply,
    ReplyLike,
    Role,
    Topic,
    TopicFollow,
    TopicLike,
    User,
    UserBlock,
    UserFollow,
    UserState,
)

from .conftest import SIZE

RELATIONS: dict[type[Base], type[Base]] = {
    TopicLike: Topic,
    TopicFollow: Topic,
    Favorite: Topic,
    ReplyLike: Reply,
    UserFollow: User,
    UserBlock: User,
}


def rows_of(database: Database, model: type[Base]) -> list[Any]:
    with database.reads.connect() as db:
        return list(db.execute(select(model).order_by(*model.__table__.primary_key)))


@pytest.fixture
def rows(demo: Database) -> dict[type[Base], list[Any]]:
    models: tuple[type[Base], ...] = (User, Topic, Reply, Notification, *RELATIONS)
    return {model: rows_of(demo, model) for model in models}


def target_of(relation: Any) -> int:
    return int(relation[2])


def test_a_fiftieth_of_the_users_writes_a_tenth_of_everything_and_most_write_little(
    rows: Any,
) -> None:
    written = Counter(reply.user_id for reply in rows[Reply])
    most = sum(count for _, count in written.most_common(SIZE.users // 50))
    assert most > SIZE.replies / 10
    median = sorted(written[user.id] for user in rows[User])[SIZE.users // 2]
    assert 0 < median < SIZE.replies / SIZE.users


def test_most_topics_have_few_replies_some_have_none_and_some_have_very_many(rows: Any) -> None:
    counts = sorted(topic.replies_count for topic in rows[Topic])
    assert counts.count(0) > SIZE.topics / 10
    assert counts[SIZE.topics // 2] < SIZE.replies / SIZE.topics
    assert counts[-1] > 60


def test_some_are_liked_by_many_and_most_by_few(rows: Any) -> None:
    likes = Counter(like.topic_id for like in rows[TopicLike])
    assert likes.most_common(1)[0][1] > 10 * sum(likes.values()) / SIZE.topics


def test_posts_are_numbered_in_the_order_of_time(rows: Any) -> None:
    for model in (User, Topic, Reply):
        times = [row.created_at for row in rows[model]]
        assert times == sorted(times)


def test_nothing_is_older_than_what_it_is_about(rows: Any) -> None:
    born: dict[Any, dict[int, Any]] = {
        model: {row.id: row.created_at for row in rows[model]} for model in (User, Topic, Reply)
    }
    for reply in rows[Reply]:
        assert reply.created_at > born[Topic][reply.topic_id]
    for model, target in RELATIONS.items():
        assert rows[model], model
        for row in rows[model]:
            assert row.created_at >= born[target][target_of(row)], model
    written: tuple[type[Base], ...] = (Topic, Reply, *RELATIONS)
    for model in written:
        assert all(row.created_at >= born[User][row.user_id] for row in rows[model]), model


def test_a_relation_exists_once_and_never_with_oneself(rows: Any) -> None:
    for model in RELATIONS:
        pairs = [(row.user_id, target_of(row)) for row in rows[model]]
        assert len(set(pairs)) == len(pairs)
    for model in (UserFollow, UserBlock):
        assert all(row.user_id != row.target_id for row in rows[model])


def test_hardly_any_two_posts_are_the_same(rows: Any) -> None:
    for model, share in ((Topic, 0.92), (Reply, 0.8)):
        bodies = {row.body for row in rows[model]}
        assert len(bodies) > share * len(rows[model])
    assert len({topic.title for topic in rows[Topic]}) > 0.75 * SIZE.topics


def test_the_html_of_a_post_is_what_its_markdown_renders_to(rows: Any) -> None:
    renderer = Renderer(workers=0)
    logins = {user.login.lower(): user.login for user in rows[User]}
    for row in (*rows[Topic][::40], *rows[Reply][::40]):
        assert row.body_html == renderer.render(row.body).to_html(logins, "/{login}")


def test_there_are_some_topics_of_each_state(rows: Any) -> None:
    for state in ("excellent_at", "closed_at", "banned_at", "deleted_at"):
        assert 0 < sum(getattr(topic, state) is not None for topic in rows[Topic]) < 60
    assert 0 < sum(reply.deleted_at is not None for reply in rows[Reply]) < 100


def test_there_are_an_admin_some_maintainers_some_vips_and_mostly_members(rows: Any) -> None:
    roles = Counter(user.role for user in rows[User])
    assert roles[Role.ADMIN] == 1
    assert 1 < roles[Role.MAINTAINER] < roles[Role.VIP] < roles[Role.MEMBER]
    blocked = sum(user.state == UserState.BLOCKED for user in rows[User])
    assert 0 < blocked < SIZE.users / 20
