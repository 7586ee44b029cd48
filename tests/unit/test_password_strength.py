"""Which passwords are too easily guessed."""

import pytest

from forumsvc.password_strength import weakness


@pytest.mark.parametrize(
    "password",
    [
        "password",
        "12345678",
        "qwertyuiop",
        "P@ssw0rd!",
        "drowssap",
        "iloveyou2",
        "aaaaaaaaaaaa",
        "abcdefgh",
        "12345" * 14,
        "football",
        "sunshine1",
        "ab" * 500,
        "x" * 40 + "Q7#kz!",  # the end of a long one is not judged
    ],
)
def test_what_everybody_tries_first_is_weak(password: str) -> None:
    assert weakness(password) is not None


@pytest.mark.parametrize(
    "password", ["tangled-wire-77", "correct horse battery", "Tr0ub4dor&3", "зима лето весна"]
)
def test_others_are_not(password: str) -> None:
    assert weakness(password) is None


@pytest.mark.parametrize("password", ["margarethe", "Margarethe1", "m.schulze77", "ehteragram"])
def test_what_is_known_of_the_owner_is_weak(password: str) -> None:
    assert weakness(password, ("margarethe", "m.schulze77@example.org")) is not None


def test_the_reason_is_returned() -> None:
    assert weakness("password") == "is too easily guessed: This is a top-10 common password"
