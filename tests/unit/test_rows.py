"""Each SELECT has the columns of the row that its query promises."""

from typing import Any, get_type_hints

import pytest

from forumsvc.db.keyset_paging import Anchor, KeysetPage, SortOrder
from forumsvc.oauth import tokens
from forumsvc.queries import (
    access_blocks,
    audit_log,
    events,
    held_posts,
    nodes,
    notifications,
    photos,
    replies,
    reports,
    restrictions,
    reviews,
    rows,
    topics,
    users,
    webhooks,
)
from forumsvc.queries import (
    moderation_rows as moderation,
)


def _page(order: SortOrder) -> KeysetPage:
    return KeysetPage(order, Anchor.BEGINNING, False)


_NEWEST = _page(restrictions._NEWEST_FIRST)
_LOG = _page(audit_log._NEWEST_FIRST)

SELECTS: list[tuple[str, Any, type]] = [
    ("a topic", topics._by_id(lock=False), rows.TopicRow),
    ("a locked topic", topics._by_id(lock=True), rows.TopicRow),
    ("a new topic", topics._created(), rows.TopicRow),
    ("a topic's state", topics._state(lock=False), rows.TopicStateRow),
    ("topics by ids", topics._by_ids(), rows.TopicListRow),
    *(
        (f"topics {kind}", topics._forum_list(kind, True, True, _page(order)), rows.TopicListRow)
        for kind, (order, _) in topics._LISTS.items()
    ),
    *(
        (f"a user's topics {kind}", topics._user_list(_page(order)), rows.TopicListRow)
        for kind, order in topics._USER_ORDERS.items()
    ),
    ("favorites", topics._favorites(_page(topics._NEWEST_FAVORITE)), rows.TopicListRow),
    ("a reply", replies._by_id(lock=False), rows.ReplyRow),
    ("a locked reply", replies._by_id(lock=True), rows.ReplyRow),
    ("a new reply", replies._created(), rows.ReplyRow),
    ("a reply's state", replies._state(), rows.ReplyStateRow),
    ("replies by ids", replies._by_ids(), rows.ReplyListRow),
    ("a topic's replies", replies._of_topic(_page(replies._OLDEST_FIRST)), rows.ReplyListRow),
    ("a user's replies", replies._by_user(_page(replies._NEWEST_FIRST)), rows.ReplyDetailRow),
    ("a user", users._by_id(lock=False), rows.UserRow),
    ("a locked user", users._by_id(lock=True), rows.UserRow),
    ("a user by login", users._by_login(), rows.UserRow),
    ("popular users", users._most_popular(), rows.UserSummaryRow),
    *(
        (relation.order.name, users._related(relation, _page(relation.order)), rows.UserSummaryRow)
        for relation in (users._FOLLOWERS, users._FOLLOWING, users._BLOCKED)
    ),
    ("all nodes", nodes._all_nodes(), rows.NodeRow),
    ("a node", nodes._by_id(), rows.NodeRow),
    ("nodes by ids", nodes._by_ids(), rows.NodeRow),
    (
        "notifications",
        notifications._page(True, _page(notifications._NEWEST_FIRST)),
        rows.NotificationRow,
    ),
    ("a photo", photos._by_id(), rows.PhotoRow),
    ("photos", photos._page(_page(photos._NEWEST_FIRST)), rows.PhotoRow),
    ("users by ids", users._by_ids(), rows.UserSummaryRow),
    ("events", events._select_after(True, has_type=False), rows.EventRow),
    ("a webhook", webhooks._by_id(lock=False), rows.WebhookRow),
    ("webhooks", webhooks._all(), rows.WebhookRow),
    ("a delivery", webhooks._delivery_by_id(), rows.DeliveryRow),
    (
        "deliveries",
        webhooks._page(_page(webhooks._NEWEST_FIRST), has_state=True),
        rows.DeliveryRow,
    ),
    *(
        (
            f"restrictions {notes}",
            restrictions._page(notes, _NEWEST),
            moderation.RestrictionRow,
        )
        for notes in (True, False)
    ),
    *(
        (f"the log {public}", audit_log._page((), public, _LOG), moderation.LogRow)
        for public in (True, False)
    ),
    ("a held post", held_posts._by_id(lock=False), moderation.HeldPostRow),
    (
        "held posts",
        held_posts._page((), _page(held_posts._NEWEST_FIRST)),
        moderation.HeldPostRow,
    ),
    ("an access block", access_blocks._by_id(), moderation.AccessBlockRow),
    (
        "access blocks",
        access_blocks._page(_page(access_blocks._NEWEST_FIRST)),
        moderation.AccessBlockRow,
    ),
    ("a report", reports._by_id(), moderation.ReportRow),
    ("own reports", reports._page(_page(reports._NEWEST_FIRST)), moderation.ReportRow),
    ("a review", reviews._by_id(lock=False), moderation.ReviewRow),
    ("a locked review", reviews._by_id(lock=True), moderation.ReviewRow),
    *(
        (
            f"reviews by {order}",
            reviews._page(("state",), _page(keys)),
            moderation.ReviewListRow,
        )
        for order, keys in reviews._ORDERS.items()
    ),
    ("an access token", tokens._ACCESS, rows.AccessRow),
]


@pytest.mark.parametrize(
    ("statement", "shape"), [pytest.param(*case, id=name) for name, *case in SELECTS]
)
def test_a_select_has_the_columns_that_its_row_promises(statement: Any, shape: type) -> None:
    selected = {column.key for column in statement.selected_columns}
    assert set(get_type_hints(shape)) - selected == set()


def test_every_row_is_fed_by_a_select() -> None:
    shapes = {
        one for name, one in {**vars(rows), **vars(moderation)}.items() if name.endswith("Row")
    }
    assert shapes == {shape for _, _, shape in SELECTS}
