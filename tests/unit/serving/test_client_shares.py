"""What one client may have of a process: threads, and bytes that it does not read."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from forumsvc.serving.client_shares import MAX_UNREAD, FairQueue, UnreadBytes, client_of
from forumsvc.serving.proxy import TrustedProxy
from tests.cases import each


def channel_of(client: str | None) -> Any:
    class Connection:
        pass

    connection: Any = Connection()  # a key of a dict, as a SimpleNamespace is not
    connection.client = client
    return connection


def queue_of(threads: int, wake: Callable[[int], None] = lambda number: None) -> FairQueue:
    return FairQueue(threads, wake)


def filled(queue: FairQueue, *clients: str | None) -> FairQueue:
    for client in clients:
        queue.append(channel_of(client))
    return queue


def taken(queue: FairQueue) -> str:
    found = []
    while queue:
        found.append(queue.popleft().client or "-")
    return "".join(found)


def test_clients_take_turns_and_nobody_begins_with_more_than_two_threads():
    queue = filled(queue_of(8), *"aaaaabbc")
    assert taken(queue) == "abcab"
    assert (len(queue), bool(queue)) == (3, False)
    queue.finish("a", was_large=False)
    assert taken(queue) == "aa"


def test_a_client_gets_more_threads_with_each_answer_but_never_the_last_two():
    queue = queue_of(8)
    for _ in range(20):
        filled(queue, "a").popleft()
        queue.finish("a", was_large=False)
    assert taken(filled(queue, *"aaaaaaaaab")) == "abaaaaa"


def test_a_thread_is_woken_for_the_second_request_that_an_answer_allows():
    woken: list[int] = []
    queue = filled(queue_of(8, woken.append), *"aaaa")
    assert taken(queue) == "aa"
    assert woken == []
    queue.finish("a", was_large=False)
    # By the thread that ended the request.
    assert bool(queue)
    queue.popleft()
    assert woken == [1]
    assert taken(queue) == "a"
    for _ in range(3):
        queue.finish("a", was_large=False)
    assert taken(filled(queue, "b")) == "b"
    assert woken == [1]


def test_a_large_answer_leaves_a_client_one_thread_until_it_has_small_ones():
    queue = queue_of(8)
    filled(queue, "a").popleft()
    queue.finish("a", was_large=True)
    assert taken(filled(queue, *"aaa")) == "a"
    queue.finish("a", was_large=False)
    assert taken(queue) == "aa"


def test_the_requests_of_a_proxy_that_names_nobody_are_not_limited():
    assert taken(filled(queue_of(4), None, None, None, None)) == "----"


def test_a_process_with_one_thread_serves_everybody():
    queue = filled(queue_of(1), *"aab")
    assert taken(queue) == "ab"
    queue.finish("a", was_large=True)
    assert taken(queue) == "a"


def test_only_clients_without_requests_are_forgotten():
    queue = queue_of(8)
    filled(queue, "a", "a", "a")
    assert taken(queue) == "aa"
    for number in range(5000):
        queue.append(channel_of(f"client {number}"))
    assert taken(queue).count("client") == 5000
    queue.finish("a", was_large=False)
    assert taken(queue) == "a"


def test_bytes_are_counted_for_each_client_and_forgotten_when_read():
    unread, mine, of_proxy = UnreadBytes(), channel_of("a"), channel_of(None)
    unread.set(mine, MAX_UNREAD + 1)
    unread.set(of_proxy, MAX_UNREAD + 1)
    assert [unread.is_too_much(one) for one in ("a", "b", None)] == [True, False, False]
    unread.set(mine, MAX_UNREAD)
    assert (unread.is_too_much("a"), unread.peak) == (False, 2 * MAX_UNREAD + 2)
    mine.client = "b"  # the next request of a connection of a proxy
    unread.set(mine, MAX_UNREAD + 1)
    assert [unread.is_too_much(one) for one in ("a", "b")] == [False, True]
    unread.set(mine, 0)
    unread.set(of_proxy, 0)
    assert (unread.in_all, [*unread._by_client], [*unread._by_channel]) == (0, [], [])


@each(
    ("address", "hops", "client"),
    [
        (("192.0.2.1", 5), "", "192.0.2.1"),
        (("192.0.2.1", 5), "198.51.100.1", "192.0.2.1"),  # who is not trusted names nobody
        (("2001:db8::1", 5, 0, 0), "", "2001:db8::/64"),
        (("127.0.0.1", 5), "198.51.100.1", "198.51.100.1"),
        (("127.0.0.1", 5), "203.0.113.9, ::ffff:198.51.100.1", "198.51.100.1"),
        (("127.0.0.1", 5), "[2001:db8::1]:443", "2001:db8::/64"),
        (("127.0.0.1", 5), "", None),
        (("localhost", None), "198.51.100.1", "198.51.100.1"),
    ],
)
def test_a_client_is_an_address_or_whom_a_trusted_proxy_names(address, hops, client):
    adj = SimpleNamespace(trusted_proxy_headers={"x-forwarded-for"}, trusted_proxy_count=1)
    assert client_of(address, hops, adj, TrustedProxy("127.0.0.1")) == client
