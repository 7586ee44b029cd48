"""Ten calls by the client of OpenAPI Generator (python): `python_generator.py TOKEN URL`."""

import json
import sys
from pathlib import Path
from typing import Any

import openapi_client as api


def inner(answer: Any, key: str) -> Any:
    """Return the result of an answer of either shape."""
    answer = getattr(answer, "actual_instance", answer)
    return getattr(answer, key, answer)


def main(token: str, url: str) -> None:
    """Make the calls, and print what came of them."""
    client = api.ApiClient(api.Configuration(host=url, access_token=token))
    topics = api.TopicsApi(client)
    listed = inner(topics.list_topics(limit=2), "topics")
    form = {"body": "By a *generated* client.", "node_id": listed[0].node_id}
    made = inner(topics.create_topic(api.TopicForm(title="Typed", **form)), "topic")
    read = topics.read_topic_with_http_info(made.id, include=[api.Include.STATE])
    [etag] = [value for name, value in (read.headers or {}).items() if name.lower() == "etag"]
    edited = topics.update_topic(made.id, api.TopicForm(title="Edited", **form), if_match=etag)
    reply = api.RepliesApi(client).create_reply(made.id, api.ReplyForm(body="It replies."))
    like = api.LikeForm(obj_type=api.Likeable.TOPIC, obj_id=listed[1].id)
    liked = api.LikesApi(client).like(like)
    notifications = inner(api.NotificationsApi(client).list_notifications(), "notifications")
    photo = api.PhotosApi(client).upload_photo(("a.png", Path("picture.png").read_bytes()))
    mentions = [one.mention.actual_instance for one in notifications if one.mention]
    done = {
        "listed": len(listed),
        "title": inner(edited, "topic").title,
        "reply": inner(reply, "reply").body,
        "liked": liked.count > 0,
        "mention": any(isinstance(one, api.MentioningTopic) for one in mentions),
        "photo": photo.image_url,
    }
    try:
        topics.read_topic(987654)
    except api.exceptions.NotFoundException as error:
        done["missing"] = error.status
    try:
        topics.list_topics(limit=100, before="x")
    except api.exceptions.BadRequestException as error:
        done["wrong"] = error.status
    sys.stdout.write(json.dumps(done))


main(*sys.argv[1:])
