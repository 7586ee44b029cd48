"""The files of the demo community: complete, and possible in time."""

import re
from datetime import timedelta

import pytest

from forumsvc.demo.posts import community
from forumsvc.models import ReportCategory

NODES, MEMBERS, POSTS = community("mixed")
JOINED = {member["login"]: timedelta(days=member["joined"]) for member in MEMBERS}


@pytest.mark.parametrize(("language", "topics", "replies"), [("en", 60, 300), ("zh", 20, 100)])
def test_each_language_has_enough_to_read(language: str, topics: int, replies: int) -> None:
    posts = community(language)[2]
    made = sum(bool(post.title) for post in posts)
    assert made >= topics
    assert len(posts) - made >= replies


def test_every_post_is_of_the_past_and_of_somebody_who_had_joined() -> None:
    wrong = [
        (post.thread, post.author, post.age)
        for post in POSTS
        if not timedelta(minutes=1) <= post.age < JOINED[post.author]
    ]
    assert wrong == []


def test_most_posts_are_recent_and_the_first_are_two_years_old() -> None:
    assert POSTS[0].age > timedelta(days=700)
    assert POSTS[len(POSTS) // 2].age < timedelta(days=90)


def test_members_mention_follow_and_block_members() -> None:
    texts = [re.sub(r"(?s)```.*?```|`[^`]*`", "", post.body) for post in POSTS]
    named = {login.lower() for text in texts for login in re.findall(r"(?<!\w)@([a-z_]+)", text)}
    named |= {
        other for it in MEMBERS for word in ("follows", "blocks") for other in it.get(word, [])
    }
    assert named - JOINED.keys() == set()


def test_every_mark_is_known_and_names_what_exists() -> None:
    nodes = {node["name"] for node in NODES}
    for post in POSTS:
        for mark, rest in post.marks.items():
            known = {
                "reported": rest in set(ReportCategory),
                "moved": rest in nodes and bool(post.title),
                "deleted": not rest,
                **dict.fromkeys(("excellent", "closed", "banned"), bool(post.title)),
            }
            assert known.get(mark, mark.isdecimal() and rest in ("like", "likes")), post
