"""The profiles of the demo's users."""

import random
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from ..unicode_forms import normalized
from .grammar import expand
from .language import Language

DEMO_LOGIN = "demo"
"""The login of the first user, an ordinary member."""

ADMIN_LOGIN = "admin"
"""The login of the second user."""

_LOGIN_LENGTH = 20
_MAIL_HOST = "members.example.org"

Person = dict[str, Any]
"""Columns of the users table: login, email and profile."""


def people(
    count: int,
    rng: random.Random,
    languages: Sequence[Language],
    taken: AbstractSet[str] = frozenset(),
) -> Iterator[Person]:
    """Yield `count` people with distinct logins and email addresses, of random languages.

    The first two are `DEMO_LOGIN` and `ADMIN_LOGIN`, with a number appended if they are taken.
    taken: the logins of existing users, in lower case.
    """
    used = {DEMO_LOGIN, ADMIN_LOGIN, *taken}
    for login, name in ((DEMO_LOGIN, "Demo"), (ADMIN_LOGIN, "Admin"))[:count]:
        own = login if login not in taken else _make_unique(login, used, rng)
        yield _profile(own, name) | {"bio": "Here to be tried out."}
    for _ in range(count - 2):
        yield _person(rng, used, rng.choice(languages))


def _make_unique(wanted: str, used: set[str], rng: random.Random) -> str:
    """Return `wanted`, with a number appended if it is used, and add it to the used ones."""
    login = wanted
    while login.lower() in used:
        digits = str(rng.randrange(10, 100 if len(used) < 2000 else 10_000_000))
        login = wanted[: _LOGIN_LENGTH - len(digits)] + digits
    used.add(login.lower())
    return login


def _person(rng: random.Random, used: set[str], language: Language) -> Person:
    lists, words = language.people, language.words

    def maybe(probability: float, choices: Any) -> str:
        chosen = rng.choice(choices) if rng.random() < probability else ""
        return expand(chosen, words, rng)

    given, latin_given = _spellings(rng.choice(lists["given"]))
    family, latin_family = _spellings(rng.choice(lists["family"]))
    login = _make_unique(_preferred_login(latin_given, latin_family, lists, rng), used, rng)
    detail = rng.random()
    full_name = lists["full_name"].format(given=given, family=family)
    name = "" if detail < 0.15 else given if detail < 0.4 else full_name
    return _profile(login, name) | {
        "email_public": detail > 0.9,
        "location": maybe(0.6, words["city"]),
        "company": maybe(0.35, lists["companies"]),
        "codehost": login if rng.random() < 0.45 else "",
        "microblog": login.lower() if rng.random() < 0.2 else "",
        "website": f"https://{login.lower().strip('_.-')}.example.net/" if detail > 0.75 else "",
        "bio": maybe(0.5, lists["bios"]),
        "tagline": maybe(0.4, lists["taglines"]),
    }


def _profile(login: str, name: str) -> Person:
    email = f"{login.lower()}@{_MAIL_HOST}"
    texts = ("location", "company", "codehost", "microblog", "website", "bio", "tagline")
    return {
        **dict.fromkeys(texts, ""),
        "login": login,
        "login_key": login.lower(),
        "name": name,
        "email": email,
        "email_key": email,
        "email_public": False,
    }


def _spellings(name: str) -> tuple[str, str]:
    """Return a name as it is shown, and in Latin letters: both are in `王/wang`."""
    shown, _, latin = name.partition("/")
    return shown, normalized("NFKD", latin or shown).encode("ascii", "ignore").decode()


def _preferred_login(given: str, family: str, lists: Any, rng: random.Random) -> str:
    """Return the login that a person would like to have."""
    given, family = given.lower(), family.lower()
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
        first, last = rng.choice(lists["nick_first"]), rng.choice(lists["nick_last"])
        wish = f"{first}{rng.choice(('', '_', '-'))}{last}"
    return wish[:_LOGIN_LENGTH]
