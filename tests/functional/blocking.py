"""Access blocks for tests: who adds them, and where requests come from."""

from typing import Any

from webtest import TestResponse

from tests.functional.forum import Caller, Forum, Person

ADDRESS = "203.0.113.7"
NETWORK = "203.0.113.0/24"
SUBSCRIBER = "2001:db8:1:2::7"


def root_of(forum: Forum) -> Person:
    """Add an admin with a token for administration."""
    return forum.person("root", role="admin", scope="read write admin")


def block(root: Person, value: str = NETWORK, severity: str = "all", **more: Any) -> TestResponse:
    """Block a network, or with `kind=` something else."""
    sent = {"kind": "address", "value": value, "severity": severity, "reason": "Spam", **more}
    answer = root.call("POST", "/access_blocks", json=sent)
    assert answer.status_int in (200, 201), answer.text
    return answer


def unblock(root: Person, block_id: int) -> None:
    """Remove a block."""
    assert root.delete(f"/access_blocks/{block_id}").status_int == 200


def call(
    caller: Caller, method: str, path: str, params: Any = None, *, address: str = ADDRESS
) -> TestResponse:
    """Send a request to the API from an address."""
    return caller.call(method, path, params, extra_environ={"REMOTE_ADDR": address})


def status(caller: Caller, path: str = "/topics", *, address: str = ADDRESS) -> int:
    """Return the status of a GET of the API from an address."""
    return int(call(caller, "GET", path, address=address).status_int)
