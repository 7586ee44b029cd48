"""`forumsvc access`: blocks at the command line."""

import pytest

from tests.functional.cli.conftest import Run

NETWORK = ("192.0.2.7/24", "--severity", "write", "--reason", "Spam")


def test_a_network_is_blocked_changed_listed_and_unblocked(run: Run) -> None:
    added = run("access", "block", *NETWORK, "--days", "7", "--json").json
    assert added == {"id": added["id"], "new": True}
    [shown] = run("access", "list", "--json").json["access_blocks"]
    assert shown.pop("expires_at").endswith("Z")
    assert shown == {
        "id": added["id"],
        "kind": "address",
        "value": "192.0.2.0/24",
        "severity": "write",
        "reason": "Spam",
        "by": None,
    }
    assert run("access", "block", *NETWORK, "--json").json == {"id": added["id"], "new": False}
    assert run("access", "list", "--json").json["access_blocks"][0]["expires_at"] is None
    run("access", "unblock", str(added["id"]))
    assert run("access", "list", "--json").json["access_blocks"] == []
    log = run("log", "list", "--json").json["log"]
    actions = ["access_block.deleted", "access_block.updated", "access_block.created"]
    assert [one["action"] for one in log] == actions
    assert {one["via"] for one in log} == {"cli"}


def test_the_machines_own_address_is_blocked_by_force(run: Run) -> None:
    options = ("--severity", "sign_up", "--reason", "x", "--force")
    assert run("access", "block", "127.0.0.1", *options).code == 0


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("192.0.2.7", "address"),
        ("2001:db8::/48", "address"),
        ("bob@example.org", "email"),
        ("spam.example", "email_domain"),
    ],
)
def test_the_kind_is_known_from_the_value(run: Run, value: str, kind: str) -> None:
    run("access", "block", value, "--severity", "sign_up", "--reason", "x")
    [shown] = run("access", "list", "--json").json["access_blocks"]
    assert shown["kind"] == kind
