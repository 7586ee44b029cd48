"""Which passwords are too easily guessed."""

from forumsvc.process.passwords import weakness
from tests.cases import each


@each("password", ["qwertyuiop", "1234567890", "Basketball", "PASSWORD123"])
def test_what_everybody_tries_first_is_weak(password):
    assert weakness(password) == "is one of the most common passwords"


@each("password", ["aaaaaaaaaaaa", "ab" * 500, "1212121212", "aAbBcCdDaA"])
def test_a_few_characters_again_and_again_are_weak(password):
    assert weakness(password) == "has too few different characters"


@each("password", ["tangled-wire-77", "correct horse battery", "Tr0ub4dor&3", "зима лето весна"])
def test_others_are_not(password):
    assert weakness(password) is None


@each(
    "password", ["margarethe", "MARGARETHE", "m.schulze", "M.Schulze@example.org", "The Tea House"]
)
def test_what_is_known_of_the_owner_is_weak(password):
    assert weakness(password, ("Margarethe", "m.schulze@example.org", "The tea house")) is not None
    assert weakness(password, ("another", "another@example.org")) is None


def test_it_does_not_matter_on_which_keyboard_what_is_known_is_typed():
    assert weakness("Das Tee\u0301haus", ("Das\u00a0Teéhaus",)) is not None
