"""Who sends emails about what happened is killed at 200 moments: each is told once, and of all."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from forumsvc import clock
from tests.functional.forum import Forum, Person, make_app
from tests.postgres_keeper import free_port
from tests.system.killed_mailers import SETTINGS
from tests.system.process import prepare_child

KILLS = 200
DUE, LATER, AT_LAST = 4, 10, 25 * 60
"""Minutes: when an email is due, when its lock is over, and when a digest is due again."""


class Server:
    """A mail server that keeps the text and the Message-ID of what it has taken."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, str, str]] = []

    async def handle_DATA(  # noqa: N802 - aiosmtpd calls it so
        self, server: Any, session: Any, envelope: Any
    ) -> str:
        message: Any = message_from_bytes(envelope.content, policy=policy.default)
        text = message.get_body(("plain",)).get_content().replace("\r\n", "\n")
        self.taken.append((message["To"], message["Message-ID"], text))
        return "250 OK"

    def ids(self, person: Person, words: str) -> set[str]:
        """Return the Message-IDs of the emails in which somebody was told of something."""
        address = f"{person.login}@example.org"
        return {id_ for to, id_, text in self.taken if to == address and words in text}


class Senders:
    """Processes that send; ahead: by how many minutes the clocks of all are ahead."""

    def __init__(self, program: "subprocess.Popen[str]") -> None:
        self.ahead = 0
        self._program = program

    def send(self, killed_at: int = 0) -> str:
        """Let one send what is due; return how many moments it had, or `killed`."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(f"{killed_at} {self.ahead}\n")
        self._program.stdin.flush()
        return self._program.stdout.readline().strip()


@contextmanager
def running(url: str, folder: Path, port: int) -> Iterator[Senders]:
    words = [sys.executable, "-m", "tests.system.killed_mailers", url, str(folder), str(port)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, **pipes, preexec_fn=prepare_child) as program:
        yield Senders(program)


@pytest.fixture
def server() -> Iterator[tuple[Server, int]]:
    memory, port = Server(), free_port()
    controller = Controller(memory, hostname="127.0.0.1", port=port, server_hostname="mx")
    controller.start()
    yield memory, port
    controller.stop()


def reader(forum: Forum, login: str, pace: str) -> Person:
    """Add somebody whose digest is due. pace: of emails about replies."""
    person = forum.person(login)
    address = f"{person.login}@example.org"
    columns: dict[str, Any] = {"email": address, "email_key": address, "mail_reply": pace}
    columns |= {"mail_digest": "daily", "digest_at": clock.now()}
    forum.change(person.id, email_confirmed_at=clock.now(), **columns)
    return person


def test_nobody_gets_two_emails_about_the_same_and_none_is_lost_where_the_sender_is_killed(
    database_url, database, tmp_path, server, monkeypatch
):
    memory, port = server
    with running(database_url, tmp_path, port) as senders:
        forum = Forum(
            make_app(database_url, tmp_path, **SETTINGS, **{"mail.port": str(port)}), database
        )
        usual = clock.now
        monkeypatch.setattr(clock, "now", lambda: usual() + timedelta(minutes=senders.ahead))
        node, bob, moments = forum.node(), forum.person("bob"), [0, 0]
        told = []
        # The first is sent by a program that has sent nothing yet, which makes more calls.
        for number in range(-2, KILLS + 1):
            senders.ahead = 0
            person = reader(forum, f"reader{number + 2}", ("instant", "off")[number % 2])
            topic, news = (forum.topic(one, node, f"By {number}.") for one in (person, bob))
            replies = [forum.reply(bob, topic)]
            senders.ahead = DUE
            if number < 1:
                moments[number % 2] = int(senders.send())
            else:
                moment = number * moments[number % 2] // (KILLS + 1)
                assert senders.send(moment) == "killed"
            replies.append(forum.reply(bob, topic))
            senders.ahead = LATER
            assert senders.send() != "killed"
            links = [f"/topics/{news}\n", *(f"/replies/{reply}\n" for reply in replies)]
            told += [(person, link) for link in links]
        senders.ahead = AT_LAST
        assert senders.send() != "killed"
    assert min(moments) > KILLS
    numbers = [(one.login, link, len(memory.ids(one, link))) for one, link in told]
    assert [found for found in numbers if found[2] != 1] == []
    different = set(memory.taken)
    assert len({id_ for _, id_, _ in different}) == len(different), "what is repeated is the same"
    assert 0 < len(memory.taken) - len(different) < KILLS
