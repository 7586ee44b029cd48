"""The profiles of the demo's users."""

import random
import unicodedata
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from .grammar import expand
from .names import (
    BIOS,
    CITIES,
    COMPANIES,
    FAMILY,
    GIVEN,
    NICK_FIRST,
    NICK_LAST,
    PEOPLE_WORDS,
    TAGLINES,
)
from .rng import stream

DEMO_LOGIN = "demo"
"""The login of the first user, an ordinary member."""

ADMIN_LOGIN = "admin"
"""The login of the second user."""

_LOGIN_LENGTH = 20
_MAIL_HOST = "members.example.org"


@dataclass(frozen=True)
class Person:
    """The profile of a user; the fields are columns of the users table."""

    login: str
    name: str
    email: str
    email_public: bool
    location: str = ""
    company: str = ""
    codehost: str = ""
    microblog: str = ""
    website: str = ""
    bio: str = ""
    tagline: str = ""


def people(count: int, seed: int, taken: AbstractSet[str] = frozenset()) -> Iterator[Person]:
    """Yield `count` people with distinct logins and e-mail addresses.

    The first two are `DEMO_LOGIN` and `ADMIN_LOGIN`, with a number appended if they are taken.
    taken: the logins of existing users, in lower case.
    """
    rng = stream(seed, "people")
    used = {DEMO_LOGIN, ADMIN_LOGIN, *taken}
    for login, name in ((DEMO_LOGIN, "Demo"), (ADMIN_LOGIN, "Admin"))[:count]:
        own = login if login not in taken else _make_unique(login, used, rng)
        yield Person(own, name, f"{own}@{_MAIL_HOST}", False, bio="Here to be tried out.")
    for _ in range(count - 2):
        yield _person(rng, used)


def _make_unique(wanted: str, used: set[str], rng: random.Random) -> str:
    """Return `wanted`, with a number appended if it is used, and add it to the used ones."""
    login = wanted
    while login.lower() in used:
        digits = str(rng.randrange(10, 100 if len(used) < 2000 else 10_000_000))
        login = wanted[: _LOGIN_LENGTH - len(digits)] + digits
    used.add(login.lower())
    return login


def _person(rng: random.Random, used: set[str]) -> Person:
    given, family = rng.choice(GIVEN), rng.choice(FAMILY)
    login = _make_unique(_preferred_login(given, family, rng), used, rng)
    detail = rng.random()
    return Person(
        login=login,
        name="" if detail < 0.15 else given if detail < 0.4 else f"{given} {family}",
        email=f"{login.lower()}@{_MAIL_HOST}",
        email_public=detail > 0.9,
        location=_maybe(rng, 0.6, CITIES),
        company=_maybe(rng, 0.35, COMPANIES),
        codehost=login if rng.random() < 0.45 else "",
        microblog=login.lower() if rng.random() < 0.2 else "",
        website=f"https://{login.lower().strip('_.-')}.example.net/" if detail > 0.75 else "",
        bio=expand(_maybe(rng, 0.5, BIOS), PEOPLE_WORDS, rng),
        tagline=expand(_maybe(rng, 0.4, TAGLINES), PEOPLE_WORDS, rng),
    )


def _maybe(rng: random.Random, probability: float, choices: tuple[str, ...]) -> str:
    return rng.choice(choices) if rng.random() < probability else ""


def _preferred_login(given: str, family: str, rng: random.Random) -> str:
    """Return the login that a person would like to have."""
    given, family = _ascii(given).lower(), _ascii(family).lower()
    style = rng.random()
    if style < 0.25:
        wish = f"{given}{rng.choice(('', '.', '_', '-'))}{family}"
    elif style < 0.45:
        wish = f"{given[0]}{family}"
    elif style < 0.6:
        wish = f"{given}{rng.randrange(70, 100)}"
    elif style < 0.7:
        wish = f"{given.capitalize()}{family.capitalize()}"
    else:
        wish = f"{rng.choice(NICK_FIRST)}{rng.choice(('', '_', '-'))}{rng.choice(NICK_LAST)}"
    return wish[:_LOGIN_LENGTH]


def _ascii(name: str) -> str:
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
