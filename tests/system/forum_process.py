"""The real service in a process of its own, and clients that generate load."""

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from forumsvc.db.engine import Database
from tests.functional.conftest import close_application
from tests.functional.forum import API, SECRET, Forum, Person, make_app
from tests.system import pserve
from tests.system.process import PATIENCE, prepare_child
from tests.system.pserve import LOGGING, Pserve, launch

INI = """
[app:main]
use = call:{app}
site.environment = development
sqlalchemy.url = {url}
session.secret = {secret}

{more}

[server:main]
paste.server_factory = forumsvc.serving:server_factory
listen = 127.0.0.1:0
processes = {processes}
threads = {threads}
worker = {worker}
"""


@dataclass
class Scene:
    """A forum with people, and a topic of each of the first two."""

    people: list[Person]
    topics: list[int]


def prepare(url: str, database: Database, folder: Path, others: Sequence[str] = ()) -> Scene:
    """Fill a database through an application in this process, and close that.

    others: logins of people without a topic.
    """
    application = make_app(url, folder)
    try:
        forum = Forum(application, database)
        people = [forum.person("alice"), forum.person("bob")]
        node = forum.node()
        topics = [forum.topic(person, node) for person in people]
        return Scene([*people, *map(forum.person, others)], topics)
    finally:
        close_application(application)


@contextmanager
def serving(
    folder: Path,
    url: str,
    *,
    processes: int = 1,
    threads: int = 4,
    worker: bool = True,
    drain_seconds: float = 0,
    server: str = "",
    app: str = "forumsvc:main",
    prepare: Callable[[], None] = prepare_child,
    **settings: str,
) -> Iterator[Pserve]:
    """Serve a database, and clean up everything afterwards.

    worker: whether the background worker runs; server: more lines of `[server:main]`; app: what
    makes the application, in a module that may be in `folder`; prepare: called in the new process
    first; settings: additional ones, as keyword `area__setting`.
    """
    settings.setdefault("markup__workers", "1")
    more = "\n".join(f"{key.replace('__', '.')} = {value}" for key, value in settings.items())
    ini, output = folder / "forum.ini", folder / "output"
    ini.write_text(
        INI.format(
            url=url,
            secret=SECRET,
            processes=processes,
            threads=threads,
            worker=worker,
            app=app,
            more=more,
        )
        + f"drain_seconds = {drain_seconds}\n{server}"
        + LOGGING
    )
    with pserve.serving(launch(ini, output, folder, prepare=prepare)) as service:
        yield service


@dataclass(frozen=True)
class SentReply:
    """A response: when its request was sent (monotonic seconds), its text, the status and body."""

    sent: float
    written: str
    status: int
    body: bytes

    @property
    def names_its_error(self) -> bool:
        found = json.loads(self.body)
        return set(found) == {"error"} and isinstance(found["error"], str)


@dataclass
class Client:
    """A client that writes replies and likes by turns until it is stopped or disconnected."""

    port: int
    token: str
    name: str
    setting: Scene
    stop: threading.Event
    answers: list[SentReply] = field(default_factory=list)
    disconnected: bool = False

    def run(self) -> None:
        """Send requests, and record every response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        turn = 0
        try:
            while not self.stop.wait(0.002):
                topic = self.setting.topics[turn % 2]
                written = f"{self.name} {turn} @alice @bob"
                self._send(connection, "POST", f"/topics/{topic}/replies", written, body=written)
                self._send(connection, "POST", "/likes", "", obj_type="topic", obj_id=str(topic))
                self._send(connection, "GET", f"/topics/{topic}/replies", "")
                turn += 1
        except (OSError, http.client.HTTPException):
            self.disconnected = True
        finally:
            connection.close()

    def _send(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        written: str,
        **form: str,
    ) -> None:
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        sent = time.monotonic()
        connection.request(method, API + path, urlencode(form) if form else None, headers)
        response = connection.getresponse()
        self.answers.append(SentReply(sent, written, response.status, response.read()))

    @property
    def acknowledged(self) -> list[str]:
        return [answer.written for answer in list(self.answers) if answer.status == 201]


@contextmanager
def storm(server: Pserve, setting: Scene, name: str, clients: int = 6) -> Iterator[list[Client]]:
    """Let clients send requests concurrently; stop those at the end that are still connected."""
    stop = threading.Event()
    made = [
        Client(server.port, str(person.token), f"{name}-{number}", setting, stop)
        for number, person in zip(range(clients), setting.people * clients, strict=False)
    ]
    threads = [threading.Thread(target=client.run) for client in made]
    for thread in threads:
        thread.start()
    try:
        yield made
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def acknowledged(clients: list[Client]) -> list[str]:
    return [written for client in clients for written in client.acknowledged]
