"""The rows of sections, nodes, users, relations and notifications."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from ..db.base import Base
from ..models import (
    Favorite,
    FollowNotification,
    Node,
    Notification,
    Reply,
    ReplyLike,
    Section,
    Topic,
    TopicFollow,
    TopicLike,
    User,
    UserBlock,
    UserFollow,
)
from .community import Community
from .nodes import NODES, SECTIONS
from .people import Person
from .relations import Pair
from .rows import ExistingRows, Row, TableRows

_USER_COLUMNS = (
    *("id", "login", "login_key", "email", "email_key", "email_public", "password_hash"),
    *("role", "state", "name", "location", "company", "codehost", "microblog", "website"),
    *("bio", "tagline", "avatar", "topics_count", "replies_count", "following_count"),
    *("followers_count", "favorites_count", "unread_count", "created_at", "updated_at"),
)
_NODE_COLUMNS = ("id", "name", "summary", "section_id", "sort", "topics_count")
_NOTIFICATION_COLUMNS = (
    *("id", "user_id", "actor_id", "type", "mention_type", "topic_id", "reply_id", "node_id"),
    *("read_at", "created_at", "updated_at"),
)


class RelationRows:
    """Generates the rows of all tables except those of topics and replies."""

    def __init__(self, community: Community, existing: ExistingRows) -> None:
        self._community = community
        self._existing = existing
        self._user_id = existing.max_id(User) + 1
        self._section_ids = _ids(SECTIONS, existing.sections, existing.max_id(Section))
        self.node_ids = _ids([theme.name for theme in NODES], existing.nodes, existing.max_id(Node))

    def sections(self) -> TableRows:
        """Return the sections that do not exist yet."""
        new = [name for name in SECTIONS if name not in self._existing.sections]
        rows = ((self._section_ids[SECTIONS.index(name)], name) for name in new)
        return TableRows(Section, ("id", "name"), rows, len(new))

    def nodes(self) -> TableRows:
        """Return the nodes that do not exist yet."""
        counts, born = self.topics_of_nodes(), self._community.timeline.moment(0)
        new = [at for at, theme in enumerate(NODES) if theme.name not in self._existing.nodes]
        rows = (
            (
                self.node_ids[at],
                NODES[at].name,
                NODES[at].summary,
                self._section_ids[SECTIONS.index(NODES[at].section)],
                10 * (len(NODES) - at),
                counts[at],
                born,
                born,
            )
            for at in new
        )
        return TableRows(Node, (*_NODE_COLUMNS, "created_at", "updated_at"), rows, len(new))

    def topics_of_nodes(self) -> Counter[int]:
        """Return how many visible topics of the demo each node has, by its index in `NODES`."""
        topics = self._community.topics
        return Counter(node for topic, node in enumerate(topics.node) if topics.is_visible(topic))

    def users(self, persons: Sequence[Person]) -> TableRows:
        """Return the users. Relations and notifications must have been iterated before."""
        return TableRows(User, _USER_COLUMNS, self._users(persons), len(persons))

    def _users(self, persons: Sequence[Person]) -> Iterator[Row]:
        community = self._community
        topics, replies, relations = community.topics, community.replies, community.relations
        topic_counts = Counter(
            author for topic, author in enumerate(topics.author) if topics.is_visible(topic)
        )
        reply_counts = Counter(
            author for reply, author in enumerate(replies.author) if replies.is_visible(reply)
        )
        for user, person in enumerate(persons):
            joined = community.timeline.moment(community.members.joined[user])
            yield (
                self._user_id + user,
                person.login,
                person.login.lower(),
                person.email,
                person.email.lower(),
                person.email_public,
                self._existing.password_hash,
                str(community.members.role(user)),
                str(community.members.state(user)),
                *(person.name, person.location, person.company, person.codehost),
                *(person.microblog, person.website, person.bio, person.tagline),
                "",
                topic_counts[user],
                reply_counts[user],
                relations.following_count[user],
                relations.followers_count[user],
                relations.favorites_count[user],
                community.notifications.unread[user],
                joined,
                joined,
            )

    def relations(self) -> Iterator[TableRows]:
        """Yield the relations, to be written one table after another."""
        relations = self._community.relations
        yield self._relation(TopicLike, relations.topic_likes(), Topic)
        yield self._relation(ReplyLike, relations.reply_likes(), Reply)
        yield self._relation(TopicFollow, relations.topic_follows(), Topic)
        yield self._relation(Favorite, relations.favorites(), Topic)
        yield self._relation(UserBlock, relations.user_blocks(), User)
        yield self._relation(UserFollow, relations.user_follows(), User)
        follows = (row[1:] for row in self._pairs(relations.user_log, 0, self._user_id))
        yield TableRows(FollowNotification, ("user_id", "target_id", "created_at"), follows)

    def _relation(self, model: type[Base], pairs: Iterator[Pair], target: type[Base]) -> TableRows:
        name = {Topic: "topic_id", Reply: "reply_id", User: "target_id"}[target]
        first, first_target = self._existing.max_id(model) + 1, self._existing.max_id(target) + 1
        rows = self._pairs(pairs, first, first_target)
        return TableRows(model, ("id", "user_id", name, "created_at"), rows)

    def _pairs(self, pairs: Iterable[Pair], first: int, first_target: int) -> Iterator[Row]:
        moment = self._community.timeline.moment
        for row_id, (ms, user, target) in enumerate(pairs, first):
            yield row_id, self._user_id + user, first_target + target, moment(ms)

    def notifications(self) -> TableRows:
        """Return the notifications. The relations must have been iterated before."""
        return TableRows(Notification, _NOTIFICATION_COLUMNS, self._notifications())

    def _notifications(self) -> Iterator[Row]:
        moment = self._community.timeline.moment
        topic_id, reply_id = self._existing.max_id(Topic) + 1, self._existing.max_id(Reply) + 1
        for row_id, (event, read) in enumerate(
            self._community.notifications.generate(), self._existing.max_id(Notification) + 1
        ):
            created = moment(event.ms)
            read_at = None if read is None else moment(read)
            yield (
                row_id,
                self._user_id + event.user,
                self._user_id + event.actor,
                str(event.type),
                None if event.mention_type is None else str(event.mention_type),
                None if event.topic is None else topic_id + event.topic,
                None if event.reply is None else reply_id + event.reply,
                None if event.node is None else self.node_ids[event.node],
                read_at,
                created,
                read_at or created,
            )


def _ids(names: Sequence[str], there: Mapping[str, int], last: int) -> list[int]:
    """Return the id of each name: the existing one, or the next free one."""
    fresh = count(last + 1)
    return [there[name] if name in there else next(fresh) for name in names]
