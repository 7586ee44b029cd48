"""A baseline: the topic list written by hand on an asynchronous stack.

`python -m benchmarks.baseline_asyncpg POSTGRESQL_URL SITE_URL` serves `GET /api/v3/topics` with
Starlette, uvicorn (uvloop, httptools) and asyncpg: one SQL statement, rows to JSON in Python, one
process on one core. It prints its address in the same form as the forum.
"""

import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import asyncpg
import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

LIST = """
WITH page AS (
  SELECT id FROM topics WHERE deleted_at IS NULL AND banned_at IS NULL
  ORDER BY last_active_at DESC, id DESC LIMIT {limit} OFFSET {offset}
)
SELECT t.id, t.title, n.name AS node_name, t.node_id, t.excellent_at, t.deleted_at,
  t.replies_count, t.likes_count, t.last_reply_user_id, r.login AS last_reply_user_login,
  u.id AS user_id, u.login, u.name, u.avatar, t.replied_at, t.created_at, t.updated_at
FROM page JOIN topics t USING (id) JOIN nodes n ON n.id = t.node_id
JOIN users u ON u.id = t.user_id LEFT JOIN users r ON r.id = t.last_reply_user_id
ORDER BY t.last_active_at DESC, t.id DESC
"""
POSTGRESQL, SITE = sys.argv[1:]


def shown(moment: datetime | None) -> str | None:
    """Return a timestamp in the forum's format."""
    return None if moment is None else moment.isoformat(timespec="milliseconds")[:-6] + "Z"


def topic(row: Any) -> dict[str, Any]:
    """Return a topic in the format of the forum's lists."""
    login = row["login"]
    picture = f"photos/{row['avatar']}" if row["avatar"] else f"avatars/{login}.svg"
    return {
        "id": row["id"],
        "title": row["title"],
        "node_name": row["node_name"],
        "node_id": row["node_id"],
        "excellent": row["excellent_at"] is not None,
        "deleted": row["deleted_at"] is not None,
        "replies_count": row["replies_count"],
        "likes_count": row["likes_count"],
        "last_reply_user_id": row["last_reply_user_id"],
        "last_reply_user_login": row["last_reply_user_login"],
        "user": {
            "id": row["user_id"],
            "login": login,
            "name": row["name"] or login,
            "avatar_url": f"{SITE}/{picture}",
        },
        "replied_at": shown(row["replied_at"]),
        "created_at": shown(row["created_at"]),
        "updated_at": shown(row["updated_at"]),
    }


async def topics(request: Request) -> Response:
    """Return a page of the topics with the latest activity."""
    query = request.query_params
    page = {"limit": int(query.get("limit", 20)), "offset": int(query.get("offset", 0))}
    async with request.app.state.pool.acquire() as connection:
        rows = await connection.fetch(LIST.format(**page))
    return Response(orjson.dumps([topic(row) for row in rows]), media_type="application/json")


@asynccontextmanager
async def connected(app: Starlette) -> AsyncIterator[None]:
    """Keep the database connections open while the application runs."""
    async with asyncpg.create_pool(POSTGRESQL, min_size=8, max_size=8) as pool:
        app.state.pool = pool
        print(f"asyncpg_baseline serves on http://127.0.0.1:{PORT}", file=sys.stderr, flush=True)
        yield


if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
    PORT = listening.getsockname()[1]
    served = Starlette(routes=[Route("/api/v3/topics", topics)], lifespan=connected)
    config = uvicorn.Config(
        served, loop="uvloop", http="httptools", access_log=False, log_level="warning"
    )
    uvicorn.Server(config).run(sockets=[listening])
