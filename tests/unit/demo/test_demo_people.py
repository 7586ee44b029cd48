"""The people of the demo: valid and unique logins."""

import re
from typing import Any

from forumsvc.demo import people as demo_people
from forumsvc.demo.language import themes
from forumsvc.demo.people import Person
from forumsvc.demo.rng import stream

LOGIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,18}[A-Za-z0-9_]")
FORBIDDEN = {"me", "null", "undefined", "deleted"}


def people(count: int, seed: int, *taken: Any, language: str = "mixed") -> list[Person]:
    languages = list({id(theme.language): theme.language for theme in themes(language)}.values())
    return list(demo_people.people(count, stream(seed), languages, *taken))


def test_logins_are_valid_for_the_service() -> None:
    for person in people(20_000, 1):
        assert LOGIN.fullmatch(person["login"])
        assert not person["login"].isdigit()
        assert person["login"].lower() not in FORBIDDEN
        assert not person["login"].endswith(".json")


def test_logins_and_addresses_are_distinct_whatever_the_case() -> None:
    everyone = people(20_000, 1)
    assert len({person["login"].lower() for person in everyone}) == 20_000
    assert len({person["email"].lower() for person in everyone}) == 20_000


def test_the_first_two_are_the_demo_user_and_the_admin() -> None:
    assert [person["login"] for person in people(3, 1)][:2] == ["demo", "admin"]


def test_logins_that_are_taken_are_left_to_their_owners() -> None:
    taken = {person["login"].lower() for person in people(500, 1)} - {"demo"}
    logins = {person["login"].lower() for person in people(500, 1, taken)}
    assert len(logins) == 500
    assert not logins & taken


def test_the_same_seed_makes_the_same_people() -> None:
    assert people(100, 3) == people(100, 3) != people(100, 4)


def test_profiles_vary_and_some_are_empty() -> None:
    everyone = people(1000, 1)
    for field in ("name", "location", "company", "website", "bio", "tagline", "codehost"):
        values = [person[field] for person in everyone]
        assert values.count("") > 100
        assert len(set(values)) > 15
    assert {person["email_public"] for person in everyone} == {True, False}
    assert not any("«" in person["bio"] + person["tagline"] for person in everyone)


def test_names_are_of_the_language() -> None:
    han = re.compile(r"[\u4e00-\u9fff]")
    names = [person["name"] for person in people(300, 1, language="zh")]
    assert sum(bool(han.search(name)) for name in names) > 200
    assert not any(han.search(person["name"]) for person in people(300, 1, language="en"))
