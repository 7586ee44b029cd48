"""The plan of the demo: realistically skewed, and consistent in the order of time."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

import pytest

from forumsvc.demo.community import Community
from forumsvc.demo.notifications import DemoNotification
from forumsvc.demo.relations import Pair
from forumsvc.demo.size import Size
from forumsvc.demo.topics import MODERATED, Topics
from forumsvc.errors import Invalid
from forumsvc.models import Role, UserState

SIZE = Size(users=1000, topics=4000, replies=30_000)
RELATIONS = (
    *("topic_likes", "reply_likes", "topic_follows", "favorites"),
    *("user_follows", "user_blocks"),
)


@pytest.fixture(scope="module")
def plan() -> Community:
    return Community(SIZE, 7)


@pytest.fixture(scope="module")
def relations(plan: Community) -> dict[str, list[Pair]]:
    return {name: list(taken(plan, name)) for name in RELATIONS}


@pytest.fixture(scope="module")
def notifications(plan: Community, relations: dict[str, list[Pair]]) -> list[DemoNotification]:
    return list(plan.notifications.generate())


def taken(plan: Community, name: str) -> Iterator[Pair]:
    pairs: Iterator[Pair] = getattr(plan.relations, name)()
    return pairs


def test_the_same_seed_plans_the_same_community(
    plan: Community, relations: dict[str, list[Pair]], notifications: list[DemoNotification]
) -> None:
    again, other = Community(SIZE, 7), Community(SIZE, 8)
    for name in ("topic", "author", "created", "mentioned"):
        assert getattr(again.replies, name) == getattr(plan.replies, name)
        assert getattr(again.replies, name) != getattr(other.replies, name)
    for name in RELATIONS:
        assert list(taken(again, name)) == relations[name]
    assert list(again.notifications.generate()) == notifications


def test_a_hundredth_of_the_users_writes_a_tenth_of_everything_and_most_write_little(
    plan: Community,
) -> None:
    for authors in (plan.replies.author, plan.topics.author):
        written = Counter(authors)
        most = sum(count for _, count in written.most_common(SIZE.users // 100))
        assert most > len(authors) / 10
        median = sorted(written[user] for user in range(SIZE.users))[SIZE.users // 2]
        assert 0 < median < len(authors) / SIZE.users


def test_most_topics_have_few_replies_some_have_none_and_some_have_hundreds(
    plan: Community,
) -> None:
    answered = Counter(plan.replies.topic)
    counts = sorted(answered[topic] for topic in range(SIZE.topics))
    assert counts.count(0) > SIZE.topics / 10
    assert counts[SIZE.topics // 2] < SIZE.replies / SIZE.topics
    assert counts[-5] > 200


def test_some_are_liked_by_many_and_most_by_few(
    plan: Community, relations: dict[str, list[Pair]]
) -> None:
    for name, count in (("topic_likes", SIZE.topics), ("reply_likes", SIZE.replies)):
        likes = Counter(target for _, _, target in relations[name])
        assert sum(likes.values()) < 5 * count
        assert likes.most_common(1)[0][1] > 10 * sum(likes.values()) / count


def test_everything_is_numbered_in_the_order_of_time(
    plan: Community, relations: dict[str, list[Pair]], notifications: list[DemoNotification]
) -> None:
    notified = [notification.event.ms for notification in notifications]
    times = [plan.members.joined, plan.topics.created, plan.replies.created, notified]
    times += [[ms for ms, _, _ in pairs] for pairs in relations.values()]
    for moments in times:
        assert len(moments) > 10
        assert list(moments) == sorted(moments)
        assert 0 <= moments[0] <= moments[-1] <= plan.timeline.end


def test_a_reply_is_later_than_its_topic(plan: Community) -> None:
    replies = plan.replies
    for topic, ms in zip(replies.topic, replies.created, strict=True):
        assert ms > plan.topics.created[topic]


def test_no_user_acts_before_joining(
    plan: Community, relations: dict[str, list[Pair]], notifications: list[DemoNotification]
) -> None:
    joined = plan.members.joined
    acts = [*zip(plan.topics.created, plan.topics.author, strict=True)]
    acts += zip(plan.replies.created, plan.replies.author, strict=True)
    acts += [(ms, user) for pairs in relations.values() for ms, user, _ in pairs]
    acts += [(notification.event.ms, notification.event.actor) for notification in notifications]
    for ms, user in acts:
        assert joined[user] <= ms


def test_no_like_or_follow_is_older_than_its_target(
    plan: Community, relations: dict[str, list[Pair]]
) -> None:
    there = dict.fromkeys(RELATIONS, plan.topics.created)
    there |= {"reply_likes": plan.replies.created}
    there |= dict.fromkeys(("user_follows", "user_blocks"), plan.members.joined)
    for name, pairs in relations.items():
        assert all(ms >= there[name][target] for ms, _, target in pairs), name


def test_a_relation_exists_once_and_never_with_oneself(relations: dict[str, list[Pair]]) -> None:
    for name, pairs in relations.items():
        assert len({pair[1:] for pair in pairs}) == len(pairs) > 0, name
    for name in ("user_follows", "user_blocks"):
        assert all(user != target for _, user, target in relations[name])


def test_no_relation_has_a_hidden_target(plan: Community, relations: dict[str, list[Pair]]) -> None:
    for name in ("topic_likes", "topic_follows", "favorites"):
        assert all(Topics.is_visible(topic) for _, _, topic in relations[name])
    assert all(plan.replies.is_visible(reply) for _, _, reply in relations["reply_likes"])


def test_only_well_known_others_are_mentioned(plan: Community) -> None:
    for posts in (plan.topics, plan.replies):
        addressed = [
            (author, mentioned - 1)
            for author, mentioned in zip(posts.author, posts.mentioned, strict=True)
            if mentioned
        ]
        assert len(addressed) > 50
        for author, mentioned in addressed:
            assert author != mentioned
            assert plan.members.is_well_known(mentioned)


def test_a_community_grows(plan: Community) -> None:
    middle = plan.timeline.end // 2
    for times in (plan.members.joined, plan.topics.created, plan.replies.created):
        assert bisect_left(times, middle) < 0.45 * len(times)


def test_two_hundred_topics_are_enough_for_some_of_each_state() -> None:
    for state in MODERATED:
        assert any(Topics.is_in(state, topic) for topic in range(200))
    assert sum(map(Topics.is_visible, range(200))) > 190


def test_there_are_an_admin_some_maintainers_some_vips_and_mostly_members(
    plan: Community,
) -> None:
    roles = Counter(plan.members.role(user) for user in range(SIZE.users))
    assert roles[Role.ADMIN] == 1
    assert 1 < roles[Role.MAINTAINER] < roles[Role.VIP] < roles[Role.MEMBER]
    blocked = [u for u in range(SIZE.users) if plan.members.state(u) == UserState.BLOCKED]
    assert 0 < len(blocked) < SIZE.users / 20
    assert not {0, 1, *plan.members.maintainers} & set(blocked)


@pytest.mark.parametrize(
    ("field", "numbers"),
    [
        ("users", (1, 0, 0)),
        ("users", (2**20, 0, 0)),
        ("topics", (2, -1, 0)),
        ("topics", (2, 2**27, 0)),
        ("replies", (2, 1, -1)),
        ("replies", (2, 0, 1)),
    ],
)
def test_a_size_that_makes_no_community_is_refused(
    field: str, numbers: tuple[int, int, int]
) -> None:
    with pytest.raises(Invalid) as refusal:
        Size(*numbers)
    assert refusal.value.field == field


@pytest.mark.parametrize("numbers", [(2, 0, 0), (2, 1, 0), (2, 1, 30), (3, 5, 1), (1000, 1, 500)])
def test_communities_of_odd_sizes_are_possible(numbers: tuple[int, int, int]) -> None:
    plan = Community(Size(*numbers), 1)
    for name in RELATIONS:
        assert all(ms <= plan.timeline.end for ms, _, _ in taken(plan, name))
    assert sum(plan.notifications.unread) == 0
    assert len(list(plan.notifications.generate())) >= sum(plan.notifications.unread)
