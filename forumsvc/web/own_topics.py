"""What API and pages share of the lists of topics that are the caller's own concern."""

from ..db.keyset_paging import PageRequest, PageRows
from ..queries import own_topics
from ..queries.own_topics import TopicRelation
from .api.request import ForumRequest


def own_list(
    request: ForumRequest,
    relation: TopicRelation | None,
    *,
    unread: bool = False,
    node_id: int | None = None,
    page: PageRequest | None = None,
) -> PageRows:
    """Return a page of the topics with which the caller, a user, has a relation.

    unread, node_id: as in `queries.own_topics.own_list`; page: None for that of the API's
    parameters. Raises Invalid.
    """
    caller = request.caller
    return own_topics.own_list(
        request.db,
        request.actor_id,
        page or request.page,
        relation=relation,
        unread=unread,
        node_id=node_id,
        hides_blocked=caller is not None and caller.blocks,
        hides_muted=caller is not None and caller.mutes,
    )
