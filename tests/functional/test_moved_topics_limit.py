"""How many topics a request moves when their node is deleted."""

import pytest

from forumsvc import clock
from forumsvc.errors import Invalid
from forumsvc.services.posts import nodes


def test_a_request_moves_no_more_topics_than_somebody_waits_for_and_the_command_moves_all(
    forum, monkeypatch
):
    monkeypatch.setattr(nodes, "MAX_MOVED", 1)
    root = forum.person("root", role="admin", scope="read write admin")
    full, other = forum.node("Full"), forum.node("Other")
    topics = [forum.topic(root, full) for _ in range(2)]
    refused = root.call("DELETE", f"/nodes/{full}?move_to={other}")
    assert refused.status_int == 400
    assert "move_to" in refused.json["error"]
    assert forum.nobody.get(f"/topics/{topics[0]}").json["node_id"] == full
    with forum.database.session.begin() as db:
        assert nodes.delete(db, None, clock.now(), full, move_to=other) == 2
    assert forum.nobody.get(f"/topics/{topics[1]}").json["node_id"] == other


def test_a_node_that_is_gone_meanwhile_takes_no_topics(forum, monkeypatch):
    root = forum.person("root", role="admin")
    full, other = forum.node("Full"), forum.node("Other")
    forum.topic(root, full)
    with forum.database.session.begin() as db:
        nodes.delete(db, root.id, clock.now(), other)
    # As if it had been there when the request began.
    monkeypatch.setattr(nodes, "_is_another", lambda *_: True)
    with pytest.raises(Invalid, match="move_to"), forum.database.session.begin() as db:
        nodes.delete(db, root.id, clock.now(), full, move_to=other)
