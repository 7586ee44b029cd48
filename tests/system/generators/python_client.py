"""Ten calls by the client of openapi-python-client: `python_client.py TOKEN URL`."""

import json
import sys
from pathlib import Path
from typing import Any

from forum_client import AuthenticatedClient
from forum_client.api.likes import like
from forum_client.api.notifications import list_notifications
from forum_client.api.photos import upload_photo
from forum_client.api.replies import create_reply
from forum_client.api.topics import create_topic, list_topics, read_topic, update_topic
from forum_client.models import (
    Include,
    Likeable,
    LikeForm,
    Photo,
    PhotoForm,
    ReplyForm,
    Topic,
    TopicForm,
)
from forum_client.types import File


def inner(answer: Any, key: str) -> Any:
    """Return the result of an answer of either shape."""
    return getattr(answer, key, answer)


def main(token: str, url: str) -> None:
    """Make the calls, and print what came of them."""
    client = AuthenticatedClient(base_url=url, token=token)
    listed = inner(list_topics.sync(client=client, limit=2), "topics")
    form = TopicForm(title="Typed", node_id=listed[0].node_id, body="By a *generated* client.")
    made = inner(create_topic.sync(client=client, body=form), "topic")
    read = read_topic.sync_detailed(made.id, client=client, include=Include.STATE)
    form.title = "Edited"
    edited = update_topic.sync(made.id, client=client, body=form, if_match=read.headers["ETag"])
    reply = create_reply.sync(made.id, client=client, body=ReplyForm(body="It replies."))
    liked_form = LikeForm(obj_type=Likeable.TOPIC, obj_id=listed[1].id)
    liked = inner(like.sync(client=client, body=liked_form), "")
    notifications = inner(list_notifications.sync(client=client), "notifications")
    with Path("picture.png").open("rb") as file:
        sent = PhotoForm(file=File(payload=file, file_name="a.png", mime_type="image/png"))
        photo = upload_photo.sync(client=client, body=sent)
    assert isinstance(photo, Photo)
    missing = read_topic.sync_detailed(987654, client=client)
    wrong = list_topics.sync_detailed(client=client, limit=100, before="x")
    done = {
        "listed": len(listed),
        "title": inner(edited, "topic").title,
        "reply": inner(reply, "reply").body,
        "liked": liked.count > 0,
        "mention": any(isinstance(one.mention, Topic) for one in notifications),
        "photo": photo.image_url,
        "missing": missing.status_code,
        "wrong": wrong.status_code,
    }
    sys.stdout.write(json.dumps(done))


main(*sys.argv[1:])
