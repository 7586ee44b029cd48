"""Fills Misago: members, one category, threads with posts and their search index."""

import re
from collections.abc import Iterator

import django

django.setup()

from django.contrib.auth.hashers import make_password  # noqa: E402
from django.contrib.postgres.search import SearchVector  # noqa: E402
from django.db import transaction  # noqa: E402
from misago.acl.models import Role  # noqa: E402
from misago.cache.versions import invalidate_all_caches  # noqa: E402
from misago.categories.models import Category  # noqa: E402
from misago.conf.models import Setting  # noqa: E402
from misago.markup.parser import parse  # noqa: E402
from misago.threads.checksums import make_post_checksum  # noqa: E402
from misago.threads.filtersearch import filter_search  # noqa: E402
from misago.threads.models import Post, Thread  # noqa: E402
from misago.users.models import Rank, User  # noqa: E402

from benchmarks.peer_programs.inside.bulk import insert  # noqa: E402
from benchmarks.peer_programs.inside.community import Community, report  # noqa: E402
from benchmarks.peer_programs.inside.environment import COMMUNITY  # noqa: E402

_SIZES = (400, 200, 150, 128, 100, 64, 50, 40, 32, 20)


class _Nobody:
    """The request of a text without mentions."""

    def get_host(self) -> str:
        return "127.0.0.1"

    is_secure = staticmethod(lambda: False)


def main() -> None:
    """Fill all tables and print the addresses."""
    community = Community(COMMUNITY)
    with transaction.atomic():
        for name, value in (("threads_per_page", 20), ("posts_per_page", 21)):
            Setting.objects.change_setting(name, wet_value=value)
        users = _insert_users(community)
        category = Category.objects.filter(special_role__isnull=True, level=1).first()
        _insert_threads(community, users, category)
        _insert_posts(community, users, category)
        Post.objects.update(search_vector=SearchVector("search_document", config="simple"))
        for thread in Thread.objects.all():
            posts = community.topics[thread.id - 1].posts
            thread.first_post_id, thread.last_post_id = posts[0].number, posts[-1].number
            thread.save(update_fields=["first_post", "last_post"])
        category.synchronize()
        category.save()
    invalidate_all_caches()
    threads = Thread.objects.in_bulk([*community.read, *community.written])
    report(
        list="/",
        topics=[threads[number].get_absolute_url() for number in community.read],
        written=[threads[number].get_posts_api_url() for number in community.written],
    )


def _insert_users(community: Community) -> list[User]:
    password = make_password(community.password)
    rank, role = Rank.objects.get_default(), Role.objects.get(special_role="authenticated")
    avatars = [{"size": size, "url": f"/media/avatar-{size}.png"} for size in _SIZES]
    users = []
    for place, login in enumerate(community.names):
        user = User(id=place + 1, rank=rank, password=password, avatars=avatars)
        user.set_username(re.sub(r"[^0-9A-Za-z]", "", login))
        user.set_email(f"{user.slug}@example.org")
        user.posts, user.threads = community.posts_by(place), community.topics_by(place)
        users.append(user)
    insert(User, users)
    insert(
        User.roles.through, [User.roles.through(user_id=one.id, role_id=role.id) for one in users]
    )
    User.objects.first().update_acl_key()
    for user in User.objects.all():
        user.update_acl_key()
        user.save(update_fields=["acl_key"])
    return users


def _insert_threads(community: Community, users: list[User], category: Category) -> None:
    threads = []
    for topic in community.topics:
        first, last = users[topic.author], users[topic.last.author]
        thread = Thread(
            id=topic.number,
            category=category,
            replies=len(topic.posts) - 1,
            started_on=topic.first.at,
            last_post_on=topic.last.at,
            starter=first,
            starter_name=first.username,
            starter_slug=first.slug,
            last_poster=last,
            last_poster_name=last.username,
            last_poster_slug=last.slug,
        )
        thread.set_title(topic.title[:255])
        thread.id = topic.number
        threads.append(thread)
    insert(Thread, threads)


def _insert_posts(community: Community, users: list[User], category: Category) -> None:
    def render(text: str) -> str:
        return str(parse(text, _Nobody(), users[0], allow_mentions=False)["parsed_text"])

    html = community.renderer(render)

    def rows() -> Iterator[Post]:
        for post in community.posts:
            user, text = users[post.author], community.text(post)
            row = Post(
                id=post.number,
                category=category,
                thread_id=post.topic,
                poster=user,
                poster_name=user.username,
                original=text,
                parsed=html(post),
                posted_on=post.at,
                updated_on=post.at,
            )
            title = community.topics[post.topic - 1].title
            row.search_document = filter_search(f"{title}\n\n{text}" if post.place == 0 else text)
            row.checksum = make_post_checksum(row)
            yield row

    insert(Post, rows())


if __name__ == "__main__":
    main()
