"""Makes a dump of another forum: `python another_forum.py export.json DEST`.

Needs nothing but Python, and knows nothing but docs/dump.md and docs/dump-schema.json. The other
forum has members, boards, threads of posts, and thanks for posts; the first post of a thread is
the topic here, the others are its replies.
"""

import gzip
import hashlib
import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def moment(seconds: int) -> str:
    """Return a Unix time as a dump has it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def times(seconds: int) -> Row:
    """Return the two times that most rows have."""
    return {"created_at": moment(seconds), "updated_at": moment(seconds)}


def logins(names: dict[int, str]) -> dict[int, str]:
    """Return a login for each name: 2 to 20 of A-Z, a-z, 0-9, `_`, `-` and `.`, each once."""
    found: dict[int, str] = {}
    taken: set[str] = set()
    for number, name in names.items():
        login = re.sub("[^A-Za-z0-9_]+", "_", name)[:20]
        if len(login) < 2 or login.lower() in taken:
            login = f"member_{number}"
        taken.add(login.lower())
        found[number] = login
    return found


def tables(export: Row) -> dict[str, list[Row]]:
    """Return the rows of each table."""
    made: dict[str, list[Row]] = {
        name: [] for name in ("users", "nodes", "topics", "replies", "topic_likes", "reply_likes")
    }
    login = logins({one["uid"]: one["username"] for one in export["members"]})
    for one in export["members"]:
        user = {"id": one["uid"], "login": login[one["uid"]], "name": one["username"]}
        user |= {"email": one["mail"], "email_confirmed_at": moment(one["joined"])}
        user |= {"bio": one.get("about", ""), "role": "admin" if one["group"] == 1 else "member"}
        made["users"].append(user | times(one["joined"]))
    for number, one in enumerate(export["boards"], 1):
        made["nodes"].append({"id": one["bid"], "name": one["title"], "sort": number} | times(0))
    first_posts = {}
    for thread in export["threads"]:
        first, *others = thread["posts"]
        last = others[-1] if others else first
        topic = {"id": thread["tid"], "user_id": first["uid"], "node_id": thread["bid"]}
        topic |= {"title": thread["subject"], "body": first["text"], "hits": thread["views"]}
        topic |= {"last_active_at": moment(last["at"])}
        if others:
            topic |= {"replied_at": moment(last["at"]), "last_reply_user_id": last["uid"]}
        if thread["locked"]:
            topic["closed_at"] = moment(last["at"])
        made["topics"].append(topic | times(first["at"]))
        first_posts[first["pid"]] = thread["tid"]
        for post in others:
            reply = {"id": post["pid"], "topic_id": thread["tid"], "user_id": post["uid"]}
            made["replies"].append(reply | {"body": post["text"]} | times(post["at"]))
    for number, thanks in enumerate(export["thanks"], 1):
        like = {"id": number, "user_id": thanks["uid"], "created_at": moment(thanks["at"])}
        if thanks["pid"] in first_posts:
            made["topic_likes"].append(like | {"topic_id": first_posts[thanks["pid"]]})
        else:
            made["reply_likes"].append(like | {"reply_id": thanks["pid"]})
    return made


def write(made: dict[str, list[Row]], folder: Path) -> None:
    """Write the rows of each table, and the manifest, into a new folder."""
    folder.mkdir()
    members = {}
    for table, rows in made.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        packed = gzip.compress(lines.encode())
        (folder / f"{table}.ndjson.gz").write_bytes(packed)
        members[table] = {"rows": len(rows), "sha256": hashlib.sha256(packed).hexdigest()}
    manifest = {"format": "forumsvc-dump", "format_version": 1, "tables": members}
    (folder / "manifest.json").write_text(json.dumps(manifest))


if __name__ == "__main__":
    write(tables(json.loads(Path(sys.argv[1]).read_text("utf-8"))), Path(sys.argv[2]))
