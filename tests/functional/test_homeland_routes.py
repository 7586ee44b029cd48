"""Each route of Homeland's API, version 3, that its clients call, answers in both shapes."""

from typing import Any

import pytest

from tests.functional.conftest import MakeForum
from tests.functional.forum import API, content
from tests.functional.test_photos import picture

ROUTES: list[tuple[str, dict[str, Any]]] = [
    ("GET /hello", {}),
    ("POST /devices", {"platform": "ios", "token": "abc"}),
    ("DELETE /devices", {"platform": "ios", "token": "abc"}),
    ("POST /likes", {"obj_type": "topic", "obj_id": "{topic}"}),
    ("DELETE /likes", {"obj_type": "topic", "obj_id": "{topic}"}),
    ("GET /nodes", {}),
    ("GET /nodes/{node}", {}),
    ("POST /photos", {}),
    ("GET /notifications", {}),
    ("POST /notifications/read", {"ids[]": "{notification}"}),
    ("GET /notifications/unread_count", {}),
    ("DELETE /notifications/{notification}", {}),
    ("DELETE /notifications/all", {}),
    ("GET /topics", {"type": "last_actived", "node_id": "", "offset": "0", "limit": "20"}),
    ("POST /topics", {"title": "T", "body": "B", "node_id": "{node}"}),
    ("GET /topics/{topic}", {}),
    ("PUT /topics/{topic}", {"title": "T", "body": "B", "node_id": "{node}"}),
    ("PATCH /topics/{topic}", {"title": "T", "body": "B", "node_id": "{node}"}),
    ("POST /topics/{topic}", {"title": "T", "body": "B", "node_id": "{node}"}),
    ("GET /topics/{topic}/replies", {"offset": "0", "limit": "20"}),
    ("POST /topics/{topic}/replies", {"body": "B"}),
    ("POST /topics/{topic}/follow", {}),
    ("POST /topics/{topic}/unfollow", {}),
    ("POST /topics/{topic}/favorite", {}),
    ("POST /topics/{topic}/unfavorite", {}),
    *(
        (f"POST /topics/{{topic}}/action?type={type_}", {})
        for type_ in ("excellent", "unexcellent", "close", "open", "ban", "normal")
    ),
    ("POST /topics/{topic}/ban", {}),
    ("GET /replies/{reply}", {}),
    ("PUT /replies/{reply}", {"body": "B"}),
    ("PATCH /replies/{reply}", {"body": "B"}),
    ("POST /replies/{reply}", {"body": "B"}),
    ("DELETE /replies/{reply}", {}),
    ("GET /users", {"limit": "20"}),
    ("GET /users/me", {}),
    ("GET /users/bob", {}),
    *(
        (f"GET /users/bob/{name}", {"offset": "0", "limit": "20"})
        for name in ("topics", "replies", "favorites", "followers", "following")
    ),
    ("GET /users/{root}/blocked", {"offset": "0", "limit": "20"}),
    *((f"POST /users/bob/{name}", {}) for name in ("follow", "unfollow", "block", "unblock")),
    ("DELETE /topics/{topic}", {}),
]
"""The routes with the parameters that their controllers require, in an order that can be run."""


@pytest.mark.parametrize("envelope", ["bare", "keyed"])
def test_every_route_of_homeland_answers(make_forum: MakeForum, envelope: str) -> None:
    forum = make_forum(api__envelope=envelope)
    root, bob, node = forum.person("root", role="admin"), forum.person("bob"), forum.node()
    topic = forum.topic(root, node)
    reply = forum.reply(bob, topic)
    notified = root.get("/notifications")
    ids = {"topic": topic, "reply": reply, "node": node, "root": root.id}
    ids["notification"] = content(notified)[0]["id"]
    wrong = []
    for route, sent in ROUTES:
        method, path = route.format(**ids).split(" ")
        params = {name: value.format(**ids) for name, value in sent.items()}
        files = [("file", "a.png", picture())] if path == "/photos" else None
        options = {"upload_files": files} if files else {}
        answer = root.call(method, path, params, **options)
        expected = 201 if envelope == "bare" and is_creation(route) else 200
        if answer.status_int != expected or answer.content_type != "application/json":
            wrong.append((route, answer.status_int, answer.text[:200]))
    assert wrong == []


def is_creation(route: str) -> bool:
    return route in ("POST /topics", "POST /topics/{topic}/replies", "POST /photos")


def test_anything_else_is_not_found(forum, alice):
    answer = alice.app.get(f"{API}/posts", status="*")
    assert (answer.status_int, answer.content_type) == (404, "application/json")
