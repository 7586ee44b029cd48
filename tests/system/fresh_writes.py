"""Every kind of write with a visible effect, by one writer on objects of their own."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from forumsvc.cache import topic_versions
from forumsvc.db.statements import update_of
from forumsvc.models import Node, Reply, Topic
from forumsvc.services import accounts, blocking, counter_check, nodes
from forumsvc.services.content.rerendering import Rerendering
from tests.functional.forum import Forum, Person
from tests.system.fresh_reads import Process

ACTIONS = ("ban", "unban", "excellent", "unexcellent", "normal", "close", "open")
KINDS = ("", "&type=recent", "&type=no_reply", "&type=popular", "&type=excellent")
RARE = 0.3
"""Of writes that end all that every process keeps, and so hide what others leave."""


@dataclass
class SharedObjects:
    """What all writers share. mod: a moderator; rerendering: of all texts."""

    forum: Forum
    mod: Person
    rerendering: Rerendering


class RandomWriter:
    """Two people, two nodes, topics and replies that no other writer changes.

    look: called with the name of the last write when there are more to come; guest: a third
    person, who is deleted.
    """

    def __init__(
        self,
        common: SharedObjects,
        name: str,
        processes: list[Process],
        choices: random.Random,
        pictures: list[bytes],
    ) -> None:
        self.name, self.choices = name, choices
        self.look: Callable[[str], None] = lambda after: None
        self._common, self._processes = common, processes
        self.one, self.friend = common.forum.person(name), common.forum.person(f"{name}-friend")
        self.guest: Person | None = None
        self.nodes = [common.forum.node(f"{name} node {number}") for number in range(2)]
        self.gone = 0
        self._number = 0
        self.topic = self.reply = 0
        self._pictures = [processes[0].upload(self.one.token, image) for image in pictures]
        self.open_topic()

    def kinds(self) -> dict[Callable[[], Any], float]:
        """Return every kind of write with its weight."""
        often = (
            *(self.open_topic, self.edit_topic, self.move_topic, self.act),
            *(self.write_reply, self.edit_reply, self.delete_reply),
            *(self.like_topic, self.like_reply, self.mute, self.unmute),
        )
        rare = (
            *(self.rename, self.set_avatar, self.remove_avatar, self.block, self.unblock),
            *(
                self.delete_user,
                self.edit_node,
                self.replace_node,
                self.fix_counters,
                self.rerender,
            ),
        )
        weights = {**dict.fromkeys(often, 1.0), **dict.fromkeys(rare, RARE)}
        # There is little to be done with what is deleted.
        return {**weights, self.delete_topic: RARE}

    def run(self, kind: Callable[[], Any]) -> str:
        """Do a write; if it is refused, create what it needs. Returns the name of what was done."""
        for each in (kind, self.write_reply, self.open_topic):
            if each() is not None:
                return each.__name__
        raise AssertionError(f"{self.name} can do nothing")

    def paths(self) -> list[str]:
        """Return all paths that show what this writer changes."""
        return [
            f"/topics/{self.topic}",
            f"/topics/{self.topic}/replies",
            f"/topics/{self.topic}/replies?limit=2&offset=1",
            f"/replies/{self.reply}",
            "/nodes",
            *(f"/topics?node_id={node}{kind}" for node in self.nodes for kind in KINDS),
            f"/topics?node_id={self.gone}",
            f"/users/{self.name}/topics",
        ]

    def own(self, document: Any) -> Any:
        """Return the part of a document that no other writer changes."""
        found = document.get("nodes") if isinstance(document, dict) else document
        if isinstance(found, list) and found and "sort" in found[0]:
            return [node for node in found if node["id"] in self.nodes]
        return document

    def readers(self) -> list[str | None]:
        """Return the tokens of the readers."""
        guest = [self.guest.token] if self.guest else []
        return [*[None, self.one.token, self.friend.token] * 3, *guest]

    def _any(self, among: Any) -> Any:
        return self.choices.choice(among)

    def _text(self) -> str:
        self._number += 1
        return f'{self.name} {self._number} "hits":{self._number} @{self.name}'

    def _send(self, method: str, path: str, person: Person | None = None, **form: object) -> Any:
        token = (person or self.one).token
        return self._any(self._processes).write(method, path, token, **form)

    def _moderate(self, method: str, path: str, **form: object) -> Any:
        return self._send(method, path, self._common.mod, **form)

    def _command(self, work: Callable[[Session], object], **options: Any) -> bool:
        """Do the work of a CLI command, and repeat it when PostgreSQL requires that."""
        database = self._common.forum.database
        while True:
            try:
                with database.session.begin() as db:
                    if options and not database.is_sqlite:
                        db.connection(execution_options=options)
                    work(db)
            except OperationalError as error:
                if not str(getattr(error.orig, "sqlstate", "")).startswith("40"):
                    raise
            else:
                return True

    def open_topic(self) -> Any:
        """Create a topic with a reply."""
        title, node, body = self._text(), self._any(self.nodes), self._text()
        made = self._send("POST", "/topics", title=title, node_id=node, body=body)
        self.topic = made.get("topic", made)["id"]
        self.write_reply()
        return made

    def edit_topic(self) -> Any:
        """Edit the topic, with or without a change of node."""
        title, node, body = self._text(), self.nodes[0], self._text()
        return self._send("PUT", f"/topics/{self.topic}", title=title, node_id=node, body=body)

    def move_topic(self) -> Any:
        """Change only the topic's node."""
        node = self._any(self.nodes)
        return self._send("PUT", f"/topics/{self.topic}", title="T", node_id=node, body="B")

    def delete_topic(self) -> Any:
        return self._moderate("DELETE", f"/topics/{self.topic}")

    def act(self) -> Any:
        """Ban, unban and so on."""
        return self._moderate("POST", f"/topics/{self.topic}/action?type={self._any(ACTIONS)}")

    def write_reply(self) -> Any:
        path, person = f"/topics/{self.topic}/replies", self._any([self.one, self.friend])
        made = self._send("POST", path, person, body=self._text())
        if made is not None:
            self.reply = made.get("reply", made)["id"]
        return made

    def edit_reply(self) -> Any:
        """Edit the last reply."""
        return self._moderate("POST", f"/replies/{self.reply}", body=self._text())

    def delete_reply(self) -> Any:
        """Delete the last reply."""
        return self._moderate("DELETE", f"/replies/{self.reply}")

    def like_topic(self) -> Any:
        """Like the topic, or remove the like."""
        method = self._any(("POST", "DELETE"))
        return self._send(method, "/likes", obj_type="topic", obj_id=self.topic)

    def like_reply(self) -> Any:
        """Like the reply, or remove the like."""
        method = self._any(("POST", "DELETE"))
        return self._send(method, "/likes", obj_type="reply", obj_id=self.reply)

    def mute(self) -> Any:
        """Make the two people block each other."""
        self._send("POST", f"/users/{self.one.id}/block", self.friend)
        return self._send("POST", f"/users/{self.friend.id}/block")

    def unmute(self) -> Any:
        """Make the two people unblock each other."""
        self._send("POST", f"/users/{self.one.id}/unblock", self.friend)
        return self._send("POST", f"/users/{self.friend.id}/unblock")

    def rename(self) -> Any:
        """Change the display name."""
        return self._send("PUT", "/users/me", name=f"{self.name} {self.choices.random()}")

    def set_avatar(self) -> Any:
        """Change the avatar."""
        return self._send("PUT", "/users/me", avatar=self._any(self._pictures))

    def remove_avatar(self) -> Any:
        """Remove the avatar."""
        return self._send("PUT", "/users/me", avatar="")

    def block(self) -> bool:
        """`forumsvc user block`."""
        return self._command(lambda db: blocking.block(db, self.friend.login))

    def unblock(self) -> bool:
        """`forumsvc user unblock`."""
        return self._command(lambda db: blocking.unblock(db, self.friend.login))

    def delete_user(self) -> bool:
        """`forumsvc user delete`, of one who has replied."""
        self._number += 1
        self.guest = guest = self._common.forum.person(f"{self.name}-{self._number}")
        made = self._send("POST", f"/topics/{self.topic}/replies", guest, body=self._text())
        self.reply = made.get("reply", made)["id"] if made else self.reply
        self.look("guest came")
        return self._command(lambda db: accounts.delete(db, guest.login))

    def edit_node(self) -> bool:
        """`forumsvc node edit`."""
        changed = {
            "name": f"{self.name} {self.choices.random()}",
            "section": self._any(["", f"{self.name} section {self.choices.random()}"]),
            "sort": self.choices.randint(-9, 9),
            "summary": self._text(),
        }
        part = {name: changed[name] for name in self.choices.sample(sorted(changed), 1)}
        return self._command(lambda db: nodes.edit(db, self._any(self.nodes), **part))

    def replace_node(self) -> bool:
        """`forumsvc node delete --move-to`, and `add`."""
        self.gone, to = self.nodes
        self._command(lambda db: nodes.delete(db, self.gone, move_to=to))
        self.nodes.remove(self.gone)
        self.look("delete_node")
        name = f"{self.name} {self.choices.random()}"
        return self._command(lambda db: self.nodes.append(nodes.create(db, name, section=name).id))

    def fix_counters(self) -> bool:
        """`forumsvc db check --fix`, after counters were made wrong."""

        def spoil(db: Session) -> None:
            for model, column, own in (
                (Topic, "likes_count", self.topic),
                (Reply, "likes_count", self.reply),
                (Node, "topics_count", self.nodes[0]),
            ):
                db.execute(update_of(model).where(model.id == own).values({column: 77}))
            topic_versions.bump_for_reply(db, self.reply)

        self._command(spoil)
        self.look("spoil")
        return self._command(counter_check.fix, isolation_level="REPEATABLE READ")

    def rerender(self) -> bool:
        """`forumsvc content rerender`, of texts that another version rendered."""
        model, own = self._any([(Topic, self.topic), (Reply, self.reply)])

        def outdate(db: Session) -> None:
            old = {"body_html": f"<p>{self._text()}</p>", "markup_version": 0}
            db.execute(update_of(model).where(model.id == own).values(old))
            topic_versions.bump_for_reply(db, self.reply)

        self._command(outdate)
        self.look("outdate")
        self._common.rerendering.run()
        return True
