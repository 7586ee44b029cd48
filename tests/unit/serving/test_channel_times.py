"""The time limits of a connection, with times that the tests set."""

from forumsvc.serving.channel_times import ChannelTimes, TimeLimits
from forumsvc.text.ip_addresses import client_network
from tests.cases import each

LIMITS = TimeLimits(
    header_seconds=20, body_seconds=20, response_seconds=30, min_bytes_per_second=8000
)


def test_a_header_has_its_time_from_its_first_byte():
    times = ChannelTimes(LIMITS, 0)
    assert times.overdue(1000) is None
    for now in range(1000, 1021, 4):
        times.on_header_bytes(now)
        assert times.overdue(now) is None
    assert times.overdue(1021) == "header"


@each(("bytes_per_second", "passes"), [(8001, True), (7000, False), (1, False)])
def test_a_body_passes_at_the_least_rate(bytes_per_second, passes):
    times = ChannelTimes(LIMITS, 0)
    times.on_header_bytes(0)
    now = 0
    while (received := now * bytes_per_second) < 10_000_000 and now < 3000:
        times.on_body_bytes(now, received)
        now += 1
        if times.overdue(now) is not None:
            break
    assert (times.overdue(now) is None) is passes


def test_an_answer_passes_at_the_least_rate():
    times = ChannelTimes(LIMITS, 0)
    times.set_response_pending(0, pending=True)
    times.on_bytes_sent(80_000)
    assert times.overdue(40) is None
    assert times.overdue(41) == "answer"
    times.set_response_pending(41, pending=False)
    assert times.overdue(1000) is None


def test_a_limit_of_0_is_none():
    times = ChannelTimes(TimeLimits(0, 0, 0, 1), 0)
    times.on_header_bytes(0)
    assert times.overdue(10**9) is None
    times.on_body_bytes(0, 0)
    assert times.overdue(10**9) is None


def test_a_steady_sender_has_waited_no_longer_than_a_new_connection():
    uploader, dripper, newcomer = (ChannelTimes(LIMITS, began) for began in (0, 50, 100))
    uploader.on_header_bytes(0)
    uploader.on_body_bytes(0, 100 * 8000)
    dripper.on_header_bytes(50)
    dripper.on_body_bytes(50, 10)
    since = [one.waiting_since for one in (dripper, uploader, newcomer)]
    assert since == sorted(since)
    assert since[1] == since[2]


def test_the_time_of_one_request_is_not_counted_for_the_next():
    times = ChannelTimes(LIMITS, 0)
    times.on_header_bytes(0)
    times.on_body_bytes(1, 5)
    times.on_request_complete()
    assert times.overdue(100) is None
    times.on_idle(100)
    assert times.waiting_since == 100


@each(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
    ],
)
def test_an_ipv6_network_counts_as_one_address(one, other, same):
    assert (client_network(one) == client_network(other)) is same
