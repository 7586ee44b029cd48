"""Fills Spirit: members, one category, topics with comments, and who follows which topic."""

from collections.abc import Iterator

import django

django.setup()

from django.db import transaction  # noqa: E402
from spirit.admin.forms import BasicConfigForm  # noqa: E402
from spirit.category.models import Category  # noqa: E402
from spirit.comment.models import Comment  # noqa: E402
from spirit.core.utils.markdown import Markdown  # noqa: E402
from spirit.topic.models import Topic  # noqa: E402
from spirit.topic.notification.models import TopicNotification  # noqa: E402
from spirit.topic.unread.models import TopicUnread  # noqa: E402
from spirit.user.models import UserProfile  # noqa: E402

from benchmarks.peer_programs.inside.bulk import insert, insert_users  # noqa: E402
from benchmarks.peer_programs.inside.community import Community, report  # noqa: E402
from benchmarks.peer_programs.inside.environment import COMMUNITY  # noqa: E402


def main() -> None:
    """Fill all tables and print the addresses."""
    community = Community(COMMUNITY)
    config = BasicConfigForm(
        data={"site_name": "Spirit", "comments_per_page": 21, "topics_per_page": 20}
    )
    config.is_valid()
    config.save()
    with transaction.atomic():
        users = insert_users(community)
        _insert_profiles(community, users)
        category = Category.objects.filter(is_private=False).first()
        insert(Topic, _topics(community, category))
        insert(Comment, _comments(community))
        insert(TopicNotification, _followers(community))
        insert(TopicUnread, _readers(community))
    topics = Topic.objects.in_bulk([*community.read, *community.written])
    report(
        list="/",
        topics=[topics[number].get_absolute_url() for number in community.read],
        written=[f"/comment/{number}/publish/" for number in community.written],
    )


def _insert_profiles(community: Community, users: list) -> None:
    insert(
        UserProfile,
        (
            UserProfile(
                user=user,
                nickname=user.username,
                is_verified=True,
                topic_count=community.topics_by(place),
                comment_count=community.posts_by(place),
            )
            for place, user in enumerate(users)
        ),
    )


def _topics(community: Community, category: Category) -> Iterator[Topic]:
    for topic in community.topics:
        yield Topic(
            id=topic.number,
            user_id=topic.author + 1,
            category=category,
            title=topic.title,
            date=topic.first.at,
            last_active=topic.last.at,
            reindex_at=topic.first.at,
            comment_count=len(topic.posts),
        )


def _comments(community: Community) -> Iterator[Comment]:
    html = community.renderer(lambda text: str(Markdown().render(text)))
    for post in community.posts:
        yield Comment(
            id=post.number,
            user_id=post.author + 1,
            topic_id=post.topic,
            comment=community.text(post),
            comment_html=html(post),
            date=post.at,
            ip_address="127.0.0.1",
        )


def _followers(community: Community) -> Iterator[TopicNotification]:
    """Who wrote in a topic follows it, and has seen what they wrote last."""
    for topic in community.topics:
        for author, post in {post.author: post for post in topic.posts}.items():
            newer = post is not topic.last
            yield TopicNotification(
                user_id=author + 1,
                topic_id=topic.number,
                comment_id=topic.last.number,
                date=topic.last.at,
                action=TopicNotification.COMMENT if newer else TopicNotification.UNDEFINED,
                is_read=not newer,
                is_active=True,
            )


def _readers(community: Community) -> Iterator[TopicUnread]:
    for topic in community.topics:
        for author in {post.author for post in topic.posts}:
            yield TopicUnread(
                user_id=author + 1,
                topic_id=topic.number,
                date=topic.last.at,
                is_read=author == topic.last.author,
            )


if __name__ == "__main__":
    main()
