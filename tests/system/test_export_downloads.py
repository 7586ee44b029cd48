"""Downloads of one's own data that are read slowly hold up nobody."""

import socket
from contextlib import ExitStack
from datetime import timedelta
from io import BytesIO

from forumsvc import clock
from forumsvc.media.local_storage import LocalStorage
from forumsvc.media.private_names import new_private_name
from forumsvc.models import DataExport
from tests.databases import on_sqlite
from tests.functional.rows import insert_row
from tests.system.forum_process import API, prepare, serving
from tests.system.process import PATIENCE

CHUNK, CHUNKS = 2**20, 24
"""More than what the server buffers for a client before its thread waits."""


@on_sqlite
def test_slow_downloads_by_more_people_than_threads_hold_up_no_other_request(
    database_url, database, tmp_path
):
    people = prepare(database_url, database, tmp_path, ["carol"]).people
    now, storage = clock.now(), LocalStorage(tmp_path / "var" / "photos")
    with database.session.begin() as db:
        for number, person in enumerate(people, 1):
            storage.put_private(name := new_private_name(), BytesIO(bytes(CHUNK * CHUNKS)))
            place = {"storage": "local", "file": name}
            row = {"id": number, "user_id": person.id, "size": CHUNK * CHUNKS, **place}
            times = {"requested_at": now, "ready_at": now, "expires_at": now + timedelta(days=1)}
            insert_row(db, DataExport, **row, **times)
    with serving(tmp_path, database_url, threads=2) as server, ExitStack() as stack:
        for person in people:
            client = stack.enter_context(socket.socket())
            client.settimeout(PATIENCE)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", server.port))
            path = f"{API}/users/{person.id}/export.zip"
            lines = (f"GET {path} HTTP/1.1", "Host: h", f"Authorization: Bearer {person.token}")
            client.sendall("\r\n".join((*lines, "", "")).encode())
            assert client.recv(12) == b"HTTP/1.1 200"
        assert server.get(f"{API}/topics").status == 200
        assert "closed" not in server.log, "the others were closed before"
        again = server.get(path, Authorization=f"Bearer {person.token}")
        assert (again.status, again.headers["retry-after"]) == (503, "30")
