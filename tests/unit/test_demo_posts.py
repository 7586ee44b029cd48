"""The files of the demo community: complete, and possible in time."""

from datetime import timedelta

from forumsvc.demo.posts import community

NODES, MEMBERS, POSTS = community("mixed")
JOINED = {member["login"]: timedelta(days=member["joined"]) for member in MEMBERS}


def test_every_post_is_of_the_past_and_of_somebody_who_had_joined():
    wrong = [
        (post.thread, post.author, post.age)
        for post in POSTS
        if not timedelta(minutes=1) <= post.age < JOINED[post.author]
    ]
    assert wrong == []
