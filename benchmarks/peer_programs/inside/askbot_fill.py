"""Fills Askbot: members, one tag, questions with answers, and their revisions."""

from collections.abc import Iterator

import django

django.setup()

from askbot.models import Post, PostRevision, Tag, Thread, UserProfile  # noqa: E402
from askbot.utils.markup import convert_text  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.test import Client  # noqa: E402

from benchmarks.peer_programs.inside.bulk import insert, insert_users  # noqa: E402
from benchmarks.peer_programs.inside.community import Community, report  # noqa: E402
from benchmarks.peer_programs.inside.environment import COMMUNITY  # noqa: E402

_TAG = "forum"
_SESSIONS = 20
_MOST_VOTES = 40
_INDEX = """
UPDATE askbot_post SET current_revision_id = id,
  text_search_vector = get_post_tsv(text, post_type, language_code);
UPDATE askbot_thread SET title_search_vector = get_thread_tsv(title, tagnames, language_code);
UPDATE askbot_thread SET text_search_vector = title_search_vector
  || get_dependent_answers_tsv(id::integer, language_code)
  || get_thread_question_tsv(id::integer, language_code);
"""
"""What its migration does with posts that are there; its triggers do it post by post."""


def main() -> None:
    """Fill all tables and print the addresses."""
    community = Community(COMMUNITY)
    Thread._meta.get_field("added_at").auto_now_add = False
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        users = insert_users(community)
        insert(
            UserProfile,
            (
                UserProfile(auth_user_ptr=user, status="a", reputation=100, avatar_urls={})
                for user in users
            ),
        )
        tag = Tag(name=_TAG, created_by=users[0], language_code="en")
        tag.used_count = len(community.topics)
        tag.save()
        insert(Thread, _threads(community))
        through = Thread.tags.through
        insert(through, (through(thread_id=it.number, tag_id=tag.id) for it in community.topics))
        insert(Post, _posts(community))
        insert(PostRevision, _revisions(community))
        cursor.execute(_INDEX)
    questions = {it.number: it.first.number for it in community.topics}
    posts = Post.objects.in_bulk([questions[it] for it in (*community.read, *community.written)])
    paths = [posts[questions[number]].get_absolute_url() for number in community.read]
    written = [posts[questions[number]].get_absolute_url() for number in community.written]
    report(list="/questions/", topics=paths, written=written, sessions=_sessions(users))


def _sessions(users: list[User]) -> dict[str, str]:
    """Log members in; return their session cookies. The form does it by a script."""
    found = {}
    for user in users[:_SESSIONS]:
        client = Client()
        client.force_login(user, "django.contrib.auth.backends.ModelBackend")
        found[user.username] = client.cookies["sessionid"].value
    return found


def _threads(community: Community) -> Iterator[Thread]:
    for topic in community.topics:
        yield Thread(
            id=topic.number,
            title=topic.title,
            tagnames=_TAG,
            answer_count=len(topic.posts) - 1,
            last_activity_at=topic.last.at,
            last_activity_by_id=topic.last.author + 1,
            added_at=topic.first.at,
            language_code="en",
        )


def _posts(community: Community) -> Iterator[Post]:
    html = community.renderer(lambda text: str(convert_text(text)))
    for post in community.posts:
        text, rendered = community.text(post), html(post)
        yield Post(
            id=post.number,
            post_type="answer" if post.place else "question",
            thread_id=post.topic,
            author_id=post.author + 1,
            added_at=post.at,
            text=text,
            html=rendered,
            summary=rendered,
            language_code="en",
            # Answers stand in the order of their votes, and in none where they have as many.
            points=max(0, _MOST_VOTES - post.place),
        )


def _revisions(community: Community) -> Iterator[PostRevision]:
    for post in community.posts:
        yield PostRevision(
            id=post.number,
            post_id=post.number,
            revision=1,
            author_id=post.author + 1,
            revised_at=post.at,
            summary="initial version",
            text=community.text(post),
            title="" if post.place else community.topics[post.topic - 1].title,
            tagnames="" if post.place else _TAG,
            approved=True,
            ip_addr="127.0.0.1",
        )


if __name__ == "__main__":
    main()
