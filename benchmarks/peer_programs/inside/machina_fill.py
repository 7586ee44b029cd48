"""Fills django-machina: members, one forum that guests read, topics and posts."""

from collections.abc import Iterator
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from django.urls import reverse  # noqa: E402
from django.utils.text import slugify  # noqa: E402
from machina.core.db.models import get_model  # noqa: E402
from machina.core.loading import get_class  # noqa: E402
from machina.models.fields import render_func  # noqa: E402

from benchmarks.peer_programs.inside.bulk import insert, insert_users  # noqa: E402
from benchmarks.peer_programs.inside.community import Community, report  # noqa: E402
from benchmarks.peer_programs.inside.environment import COMMUNITY  # noqa: E402

Forum: Any = get_model("forum", "Forum")
Topic: Any = get_model("forum_conversation", "Topic")
Post: Any = get_model("forum_conversation", "Post")
Profile: Any = get_model("forum_member", "ForumProfile")
Permission: Any = get_model("forum_permission", "ForumPermission")
UserPermission: Any = get_model("forum_permission", "UserForumPermission")
PostIndex: Any = get_class("forum_search.search_indexes", "PostIndex")


def main() -> None:
    """Fill all tables and print the addresses."""
    community = Community(COMMUNITY)
    for model in (Topic, Post):
        for name in ("created", "updated"):
            # Else every row would be of now.
            model._meta.get_field(name).auto_now_add = False
            model._meta.get_field(name).auto_now = False
    with transaction.atomic():
        users = insert_users(community)
        insert(
            Profile,
            (
                Profile(user=user, posts_count=community.posts_by(place))
                for place, user in enumerate(users)
            ),
        )
        forum = Forum.objects.create(name="All", type=Forum.FORUM_POST)
        for codename in ("can_see_forum", "can_read_forum"):
            permission = Permission.objects.get(codename=codename)
            UserPermission.objects.create(permission=permission, forum=forum, anonymous_user=True)
        insert(Topic, _topics(community, forum))
        insert(Post, _posts(community))
        for topic in community.topics:
            Topic.objects.filter(id=topic.number).update(
                first_post_id=topic.first.number, last_post_id=topic.last.number
            )
        forum.update_trackers()
    _index()
    slug = {"forum_slug": forum.slug, "forum_pk": forum.pk}
    topics = Topic.objects.in_bulk([*community.read, *community.written])
    report(
        list=reverse("forum:forum", kwargs={"slug": forum.slug, "pk": forum.pk}),
        topics=[
            reverse(
                "forum_conversation:topic",
                kwargs={**slug, "slug": topics[number].slug, "pk": number},
            )
            for number in community.read
        ],
        written=[
            reverse(
                "forum_conversation:post_create",
                kwargs={**slug, "topic_slug": topics[number].slug, "topic_pk": number},
            )
            for number in community.written
        ],
    )


def _index() -> None:
    """Do what `manage.py rebuild_index` does, with one query for what it asks of each post.

    And in one commit: Whoosh looks into all it has for each text of the second and later ones.
    """
    together = Post.objects.filter(approved=True).select_related("topic__forum", "poster")
    PostIndex.index_queryset = lambda self, using=None: together
    call_command("rebuild_index", batch_size=1_000_000, interactive=False, verbosity=0)


def _topics(community: Community, forum: Any) -> Iterator[Any]:
    for topic in community.topics:
        yield Topic(
            id=topic.number,
            forum=forum,
            poster_id=topic.author + 1,
            subject=topic.title,
            slug=slugify(topic.title, allow_unicode=True) or "topic",
            type=Topic.TOPIC_POST,
            status=Topic.TOPIC_UNLOCKED,
            posts_count=len(topic.posts),
            last_post_on=topic.last.at,
            created=topic.first.at,
            updated=topic.last.at,
        )


def _posts(community: Community) -> Iterator[Any]:
    html = community.renderer(lambda text: str(render_func(text)))
    for post in community.posts:
        title = community.topics[post.topic - 1].title
        yield Post(
            id=post.number,
            topic_id=post.topic,
            poster_id=post.author + 1,
            subject=title if post.place == 0 else f"Re: {title}"[:255],
            content=community.text(post),
            _content_rendered=html(post),
            created=post.at,
            updated=post.at,
        )


if __name__ == "__main__":
    main()
