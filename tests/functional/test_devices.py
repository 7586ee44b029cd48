"""Devices that applications register: whose they are, how many, and for how long."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from forumsvc import clock
from forumsvc.models import Device
from forumsvc.services.notifications import devices
from tests.functional.background_jobs import do_periodic_work
from tests.functional.forum import Forum, Person

PHONE = {"platform": "ios", "token": "<740f4707 bebcf74f>"}
OTHER_PHONE = {"platform": "android", "token": "740f4707bebcf74f"}


def kept(forum: Forum) -> list[tuple[int, str, str]]:
    """Return user, platform and token of all devices, in the order of the last call."""
    with forum.database.reads.connect() as db:
        columns = (Device.user_id, Device.platform, Device.token)
        result = db.execute(select(*columns).order_by(Device.last_active_at))
        return [(row.user_id, row.platform, row.token) for row in result]


def register(person: Person, **device: str) -> None:
    answer = person.post("/devices", **device)
    assert (answer.status_int, answer.json) == (200, {"ok": 1})


@pytest.mark.usefixtures("advancing_clock")
def test_a_device_is_registered_once_and_renewed(forum, alice):
    register(alice, **PHONE)
    register(alice, **OTHER_PHONE)
    register(alice, **PHONE)
    assert kept(forum) == [(alice.id, *OTHER_PHONE.values()), (alice.id, *PHONE.values())]


def test_a_device_is_of_the_one_who_used_it_last(forum, alice, bob):
    register(alice, **PHONE)
    register(bob, **PHONE)
    assert kept(forum) == [(bob.id, *PHONE.values())]
    # The log-out of whoever used it before comes late.
    assert alice.delete("/devices", **PHONE).json == {"ok": 1}
    assert kept(forum) == [(bob.id, *PHONE.values())]
    assert bob.delete("/devices", **PHONE).json == {"ok": 1}
    assert bob.delete("/devices", **PHONE).json == {"ok": 1}
    assert kept(forum) == []


def test_the_same_token_of_two_platforms_is_of_two_devices(forum, alice):
    for platform in ("ios", "android"):
        register(alice, platform=platform, token="same")
    assert alice.delete("/devices?platform=ios&token=same").status_int == 200
    assert kept(forum) == [(alice.id, "android", "same")]


@pytest.mark.usefixtures("advancing_clock")
def test_a_further_device_takes_the_place_of_the_one_silent_longest(forum, alice, bob):
    register(bob, **OTHER_PHONE)
    for number in range(devices.MOST):
        register(alice, platform="ios", token=f"{number}")
    register(alice, platform="ios", token="0")
    register(alice, platform="ios", token="new")
    tokens = [token for user_id, _, token in kept(forum) if user_id == alice.id]
    assert tokens == [*map(str, range(2, devices.MOST)), "0", "new"]
    assert len(kept(forum)) == devices.MOST + 1


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"token": "a"}, "platform"),
        ({"platform": "iOS", "token": "a"}, "platform"),
        ({"platform": "ios"}, "token"),
        ({"platform": "ios", "token": ""}, "token"),
        ({"platform": "ios", "token": "a\nb"}, "token"),
        ({"platform": "ios", "token": "a" * 4097}, "token"),
    ],
)
def test_what_is_no_device_is_400(forum, alice, sent, field):
    for method in ("POST", "DELETE"):
        answer = alice.call(method, "/devices", sent)
        assert (answer.status_int, answer.json["error"].partition(":")[0]) == (400, field)
    assert kept(forum) == []


def test_the_longest_token_is_kept(forum, alice):
    register(alice, platform="ios", token="字" * 4096)
    assert kept(forum) == [(alice.id, "ios", "字" * 4096)]


def test_devices_whose_application_is_opened_no_more_are_deleted(forum, alice):
    register(alice, **PHONE)
    register(alice, **OTHER_PHONE)
    with forum.database.session.begin() as db:
        is_phone = Device.token == PHONE["token"]
        before = clock.now() - devices.KEEP - timedelta(minutes=1)
        db.execute(update(Device).where(is_phone).values(last_active_at=before))
    do_periodic_work(forum)
    assert kept(forum) == [(alice.id, *OTHER_PHONE.values())]
