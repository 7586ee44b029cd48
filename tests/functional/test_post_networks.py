"""How many accounts write from the same network, where an operator wants to know."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from forumsvc import clock
from forumsvc.background import maintenance
from forumsvc.models import PostNetwork
from forumsvc.services.access import post_networks
from forumsvc.services.accounts import accounts
from tests.functional.blocking import call
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person
from tests.functional.pages.visitor import Visitor, with_password


@pytest.fixture
def forum(make_forum: MakeForum) -> Forum:
    """A forum that keeps networks for a week."""
    return make_forum(moderation__keep_addresses_days="7")


def write(person: Person, topic: int, address: str) -> None:
    answer = call(person, "POST", f"/topics/{topic}/replies", {"body": "hi"}, address=address)
    assert answer.status_int == 201


def others(forum: Forum, person: Person) -> int:
    """Return how many other accounts wrote from a network of this one's."""
    return post_networks.count_others(forum.database.executor, person.id)


def kept(forum: Forum) -> list[str]:
    with forum.database.reads.connect() as db:
        return [*db.scalars(select(PostNetwork.network))]


@pytest.mark.parametrize(
    ("same", "other"),
    [("192.0.2.200", "192.0.3.1"), ("::ffff:192.0.2.9", "2001:db8::1")],
)
def test_who_writes_from_the_same_network_is_counted_once(forum, alice, bob, topic, same, other):
    carol = forum.person("carol")
    write(alice, topic, "192.0.2.1")
    for _ in range(2):
        write(bob, topic, same)
    write(carol, topic, other)
    assert [others(forum, one) for one in (alice, bob, carol)] == [1, 1, 0]
    assert not any("192" in one for one in kept(forum) if len(one) != 64)


def test_addresses_of_one_subscriber_of_ipv6_are_one_network(forum, alice, bob, topic):
    write(alice, topic, "2001:db8:1:2::1")
    write(bob, topic, "2001:db8:1:2:ffff::1")
    assert others(forum, alice) == 1


def test_moderators_see_the_number_on_the_page_of_the_user(forum, alice, bob, topic):
    with_password(forum, "chief", role="maintainer")
    visitor = Visitor(forum)
    visitor.log_in("chief")
    for person in (alice, bob):
        write(person, topic, "192.0.2.1")
    assert (
        "1 other account wrote from the same network" in visitor.get("/moderation/users/bob").text
    )


def test_networks_are_deleted_after_so_many_days_and_with_the_account(
    forum, alice, bob, topic, monkeypatch
):
    write(alice, topic, "192.0.2.1")
    write(bob, topic, "192.0.2.1")
    settings, before = forum.registry.forum_settings, len(kept(forum))
    with forum.database.session.begin() as db:
        accounts.delete(db, "bob")
    assert len(kept(forum)) == before - 1
    maintenance.delete_all_expired(forum.database, settings)
    assert len(kept(forum)) == before - 1
    later = clock.now() + timedelta(days=7, minutes=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    maintenance.delete_all_expired(forum.database, settings)
    assert kept(forum) == []


def test_without_the_setting_nothing_is_kept_and_what_was_is_deleted(
    make_forum, forum, alice, topic
):
    write(alice, topic, "192.0.2.1")
    assert kept(forum) != []
    off = make_forum()
    maintenance.delete_all_expired(off.database, off.registry.forum_settings)
    assert kept(off) == []
    member = off.caller(alice.token)
    assert call(member, "POST", f"/topics/{topic}/replies", {"body": "b"}).status_int == 201
    assert kept(off) == []
