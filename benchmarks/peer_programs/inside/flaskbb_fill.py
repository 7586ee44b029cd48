"""Fills FlaskBB: members, one forum, topics and posts."""

from typing import Any

from flaskbb.extensions import db
from flaskbb.forum.models import Category, Forum, Post, Topic
from flaskbb.settings import flaskbb_config
from flaskbb.user.models import Group, User
from sqlalchemy import func, insert, select, text
from werkzeug.security import generate_password_hash

from benchmarks.peer_programs.inside.community import Community, report
from benchmarks.peer_programs.inside.environment import COMMUNITY
from benchmarks.peer_programs.inside.flaskbb_wsgi import flaskbb


def main() -> None:
    """Fill all tables and print the addresses."""
    community = Community(COMMUNITY)
    with flaskbb.app_context():
        flaskbb_config["POSTS_PER_PAGE"] = 21
        flaskbb_config["TOPICS_PER_PAGE"] = 20
        # The forum of the installation would stand beside.
        db.session.execute(text("TRUNCATE categories, forums, topics, posts CASCADE"))
        db.session.commit()
        first_user = _insert_users(community)
        category = Category(title="All", position=1)
        db.session.add(category)
        db.session.commit()
        forum = Forum(title="All", position=1, category_id=category.id)
        forum.save()
        _insert_topics(community, first_user, forum)
        db.session.commit()
        with flaskbb.test_request_context(base_url="http://127.0.0.1"):
            report(
                list=_path(forum.url),
                topics=[_path(db.session.get(Topic, it).url) for it in community.read],
                written=[f"/topic/{number}/post/new" for number in community.written],
            )


def _path(url: str) -> str:
    return url.removeprefix("http://127.0.0.1")


def _insert_users(community: Community) -> int:
    """Insert the members behind the admin; return the id of the first."""
    password = generate_password_hash(community.password)
    group = Group.get_member_group()
    first = db.session.execute(text("SELECT max(id) + 1 FROM users")).scalar_one()
    _insert(
        User,
        [
            {
                "id": first + place,
                "username": name,
                "email": f"{name}@example.org",
                "_password": password,
                "activated": True,
                "post_count": community.posts_by(place),
                "primary_group_id": group.id,
            }
            for place, name in enumerate(community.names)
        ],
    )
    return int(first)


def _insert_topics(community: Community, first_user: int, forum: Any) -> None:
    topics = [
        {
            "id": topic.number,
            "forum_id": forum.id,
            "title": topic.title,
            "user_id": first_user + topic.author,
            "username": community.names[topic.author],
            "date_created": topic.first.at,
            "last_updated": topic.last.at,
            "post_count": len(topic.posts),
        }
        for topic in community.topics
    ]
    posts = [
        {
            "id": post.number,
            "topic_id": post.topic,
            "user_id": first_user + post.author,
            "username": community.names[post.author],
            "content": community.text(post),
            "date_created": post.at,
        }
        for post in community.posts
    ]
    _insert(Topic, topics)
    _insert(Post, posts)
    db.session.execute(
        text(
            "UPDATE topics SET first_post_id = f.first, last_post_id = f.last FROM"
            " (SELECT topic_id, min(id) AS first, max(id) AS last FROM posts GROUP BY 1) f"
            " WHERE f.topic_id = topics.id"
        )
    )
    last = community.posts[-1]
    forum.last_post_id, forum.last_post_created = last.number, last.at
    forum.last_post_user_id = first_user + last.author
    forum.last_post_username = community.names[last.author]
    forum.last_post_title = community.topics[last.topic - 1].title
    forum.post_count, forum.topic_count = len(posts), len(topics)


def _insert(model: Any, rows: list[dict[str, Any]]) -> None:
    """Insert rows with their ids, and set the sequence behind them, with no index of the search."""
    columns = {
        attribute.key: attribute.columns[0].name for attribute in model.__mapper__.column_attrs
    }
    named = [{columns[name]: value for name, value in row.items()} for row in rows]
    db.session.execute(insert(model.__table__), named)
    sequence = func.pg_get_serial_sequence(model.__tablename__, "id")
    db.session.execute(select(func.setval(sequence, func.max(model.__table__.c.id))))


if __name__ == "__main__":
    main()
