"""The people of the demo: valid and unique logins."""

import re

from forumsvc.demo.people import people

LOGIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,18}[A-Za-z0-9_]")
FORBIDDEN = {"me", "null", "undefined", "deleted"}


def test_logins_are_valid_for_the_service() -> None:
    for person in people(20_000, 1):
        assert LOGIN.fullmatch(person.login)
        assert not person.login.isdigit()
        assert person.login.lower() not in FORBIDDEN
        assert not person.login.endswith(".json")


def test_logins_and_addresses_are_distinct_whatever_the_case() -> None:
    everyone = list(people(20_000, 1))
    assert len({person.login.lower() for person in everyone}) == 20_000
    assert len({person.email.lower() for person in everyone}) == 20_000


def test_the_first_two_are_the_demo_user_and_the_admin() -> None:
    assert [person.login for person in people(3, 1)][:2] == ["demo", "admin"]


def test_logins_that_are_taken_are_left_to_their_owners() -> None:
    taken = {person.login.lower() for person in people(500, 1)} - {"demo"}
    logins = {person.login.lower() for person in people(500, 1, taken)}
    assert len(logins) == 500
    assert not logins & taken


def test_the_same_seed_makes_the_same_people() -> None:
    assert list(people(100, 3)) == list(people(100, 3)) != list(people(100, 4))


def test_profiles_vary_and_some_are_empty() -> None:
    everyone = list(people(1000, 1))
    for field in ("name", "location", "company", "website", "bio", "tagline", "codehost"):
        values = [getattr(person, field) for person in everyone]
        assert values.count("") > 100
        assert len(set(values)) > 15
    assert {person.email_public for person in everyone} == {True, False}
    assert not any("«" in person.bio + person.tagline for person in everyone)
