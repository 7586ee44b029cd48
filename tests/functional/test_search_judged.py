"""What people look for stands among the first results."""

from datetime import timedelta

import pytest

from forumsvc import clock
from forumsvc.models import Reply, Topic
from forumsvc.services.search_reindex import reindex
from tests.functional.forum import Forum, Person
from tests.functional.judged_searches import JUDGED, TOPICS
from tests.functional.rows import insert_row

pytestmark = pytest.mark.both_databases


@pytest.fixture
def ids(forum: Forum, alice: Person, node: int) -> dict[str, int]:
    """The ids of the topics by their names in the judgements."""
    made = {}
    with forum.database.session.begin() as db:
        # The oldest first, as in a forum.
        for post in sorted(TOPICS, key=lambda one: -one.months):
            at = clock.now() - timedelta(days=30 * post.months)
            made[post.name] = insert_row(
                db,
                Topic,
                user_id=alice.id,
                node_id=node,
                title=post.title,
                body_html=f"<p>{post.body}</p>",
                likes_count=post.likes,
                replies_count=len(post.replies),
                excellent_at=at if post.excellent else None,
                created_at=at,
                updated_at=at,
            )
            for text in post.replies:
                insert_row(
                    db,
                    Reply,
                    user_id=alice.id,
                    topic_id=made[post.name],
                    body_html=f"<p>{text}</p>",
                    created_at=at,
                    updated_at=at,
                )
    reindex(forum.database)
    return made


def test_of_40_judged_searches_36_have_what_is_wanted_among_the_first_three(
    forum: Forum, ids: dict[str, int]
) -> None:
    names = {topic_id: name for name, topic_id in ids.items()}
    missed = {}
    for query, wanted in JUDGED:
        found = [one["id"] for one in forum.nobody.get("/search/topics", q=query).json]
        if ids[wanted] not in found[:3]:
            missed[query] = [names[one] for one in found[:3]]
    assert len(JUDGED) == 40
    assert len(missed) <= 4, missed
