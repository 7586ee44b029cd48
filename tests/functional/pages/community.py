"""A small community in which every kind of thing is to be seen."""

from dataclasses import dataclass

from sqlalchemy import update

from forumsvc import clock
from forumsvc.models import HoldReason, User
from forumsvc.services.moderation import held_posts
from forumsvc.services.posts import sections
from forumsvc.services.search.reindexing import reindex
from tests.functional.forum import Forum

RICH = """A [link](https://example.org), `code`, **strong** words, @bob and :smile:

> a quotation

| one | two |
| --- | ---: |
| 1 | 2 |

```python
def boat(name: str) -> str:
    return f"The {name}"
```

1. first
2. second

- [x] done

<details><summary>More</summary>Hidden text</details>

![a picture](https://example.org/boat.png)
"""


@dataclass
class Community:
    """The ids of its parts. rich: a topic with all Markdown; closed, banned, edited: topics.

    review: an open one, of the rich topic; held, held_review: a post of the member's that waits,
    and its review.
    """

    rich: int
    closed: int
    banned: int
    deleted: int
    node: int
    section: int
    reply: int
    review: int
    held: int
    held_review: int
    edited: int


def settle(forum: Forum, member: int, keeper: int | None = None) -> Community:
    """Fill a forum. member: a user who is followed, notified, and follows; keeper: a maintainer."""
    bob = forum.person("bob")
    carl = forum.person("carl")
    with forum.database.session.begin() as db:
        section = sections.create(db, None, clock.now(), "Sea")
    node = forum.node("Boats & Weather", summary="All that *floats*.", section_id=section)
    with forum.database.session.begin() as db:
        columns = {"bio": "Line one\nLine two", "website": "https://example.org", "tagline": "Hi"}
        db.execute(update(User).where(User.id == bob.id).values(**columns))
        if keeper is not None:
            db.execute(update(User).where(User.id == keeper).values(role="maintainer"))
    admin = forum.person("root", role="admin", scope="read write moderate")
    login = forum.nobody.get(f"/users/{member}").json["login"]
    rich = forum.topic(bob, node, title="Ships <b>&</b> boats", body=RICH)
    reply = forum.reply(carl, rich, f"Hello @{login}, see #1")
    gone = forum.reply(carl, rich, "To be deleted")
    forum.reply(bob, rich, RICH)
    carl.delete(f"/replies/{gone}")
    carl.post("/likes", obj_type="topic", obj_id=rich)
    carl.post("/likes", obj_type="reply", obj_id=reply)
    admin.post(f"/topics/{rich}/action", type="excellent")
    carl.post(f"/topics/{rich}/favorite")
    carl.post(f"/users/{member}/follow")
    bob.post(f"/users/{carl.id}/follow")
    closed = forum.topic(carl, node, title="A closed one")
    carl.post(f"/topics/{closed}/action", type="close")
    banned = forum.topic(carl, node, title="A banned one")
    admin.post(f"/topics/{banned}/ban")
    deleted = forum.topic(carl, node, title="A deleted one")
    admin.delete(f"/topics/{deleted}")
    for number in range(55):
        forum.reply(bob, rich, f"Number {number}")
    for number in range(22):
        edited = forum.topic(bob, node, title=f"More talk {number}")
    # By another than its author: it keeps the former text.
    admin.call("PATCH", f"/topics/{edited}", {"title": "Edited <b>talk</b>", "body": RICH})
    for who, kind, reported in (
        (carl, "topic", rich),
        (bob, "reply", reply),
        (bob, "user", carl.id),
    ):
        who.post("/reports", obj_type=kind, obj_id=reported, category="spam", comment="Look!")
    [dismissed, *_] = admin.get("/reviews", user=str(carl.id)).json
    admin.post(f"/reviews/{dismissed['id']}/resolve", decision="dismiss", reason="Fine")
    if keeper is None:
        admin.post(f"/users/{member}/warn", reason="Stay on topic", note="Kind", topic_id="")
    admin.post(f"/users/{carl.id}/silence", reason="Too loud", days=3)
    reindex(forum.database)
    review = admin.get("/reviews").json[0]["id"]
    with forum.database.session.begin() as db:
        held = held_posts.hold(
            *(db, member, clock.now(), HoldReason.LINKS),
            body="Look at **these** pictures",
            title="My holidays",
            node_id=node,
        )
    [held_review] = [one["id"] for one in admin.get("/reviews", kind="held").json]
    return Community(
        *(rich, closed, banned, deleted),
        *(node, section, reply, review, held, held_review, edited),
    )
