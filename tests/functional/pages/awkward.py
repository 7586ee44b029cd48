"""What breaks a layout: long words, addresses and names, many nodes, likes, and other scripts."""

from dataclasses import dataclass

from sqlalchemy import update

from forumsvc import clock
from forumsvc.models import Topic, TopicLike, User
from forumsvc.services.posts import sections
from tests.functional.forum import Forum, Person
from tests.functional.rows import insert_rows

LONG_WORD = "Donaudampfschifffahrt" * 9
ADDRESS = f"https://example.org/{'a-long-path/' * 14}?q={'x' * 20}"
MIXED = """\
هل يعمل `if x > 0 and (y < 3):` هنا؟ جرّبتُ PostgreSQL 16 (على Debian)، ولم أجد الملف config.yaml!

> قال أحدهم: «ثلاثة أمور: السرعة، الأمان، والبساطة.»

1. شغّل `pip install -U forumsvc`
2. افتح https://example.org/path?x=1

| العمود | القيمة |
| --- | ---: |
| الذاكرة | 16 GB |

```python
print("مرحبا", end="!")  # ok
```

An English paragraph follows, with a word مرحبا in it.
"""
NODES, LIKES = 40, 100


@dataclass
class Awkward:
    """The ids of topics: long, a word and an address; mixed, of both directions; node: a letter;
    login: of somebody with an emoji as the name.
    """

    long: int
    mixed: int
    node: int
    login: str


def settle(forum: Forum, author: Person) -> Awkward:
    """Fill a forum with what is long, many or of another script. author: writes most of it."""
    now = clock.now()
    with forum.database.session.begin() as db:
        section = sections.create(db, None, now, "Everything else")
    node = forum.node("Q")
    for number in range(NODES):
        forum.node(
            f"Node number {number}" if number % 4 else f"{LONG_WORD[:40]}{number}",
            section_id=section,
        )
    other = forum.person("_w.-" + "m" * 15 + "_")
    forum.change(other.id, name="👩‍👩‍👧‍👦🇯🇵 يوسف", tagline=LONG_WORD, bio=ADDRESS, location="عمّان")
    folded = "<details><summary>More</summary><p>Folded</p></details>"
    body = f"{LONG_WORD}\n\n{ADDRESS}\n\n`{LONG_WORD}`\n\n    {ADDRESS}\n\n{folded}"
    long = forum.topic(other, node, LONG_WORD, body)
    forum.reply(author, long, f"@{other.login} {ADDRESS}")
    mixed = forum.topic(author, node, "كيف أنشر تطبيق Django على خادم صغير؟", MIXED)
    forum.reply(other, mixed, MIXED)
    forum.topic(other, node, "?")
    forum.topic(author, node, "🎉" * 60, "🎉")
    with forum.database.session.begin() as db:
        fans = insert_rows(db, User, [{"login": f"fan{number}"} for number in range(LIKES)])
        insert_rows(db, TopicLike, [{"user_id": each, "topic_id": long} for each in fans])
        db.execute(update(Topic).where(Topic.id == long).values(likes_count=LIKES))
    return Awkward(long, mixed, node, other.login)
