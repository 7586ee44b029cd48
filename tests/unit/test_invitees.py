"""Whom a pasted list of addresses names, and the logins that are made of addresses."""

import pytest

from forumsvc.errors import Invalid
from forumsvc.services.accounts.invitees import MOST, make_login, read_invitees

READ = {
    "ada@example.org": [(None, "ada@example.org")],
    "ada ada@example.org": [("ada", "ada@example.org")],
    "ada\tada@example.org\r\n\r\n bob@example.org ": [
        ("ada", "ada@example.org"),
        (None, "bob@example.org"),
    ],
    "a@example.org,b@example.org;c@example.org d@example.org": [
        *((None, f"{letter}@example.org") for letter in "abcd"),
    ],
    '"Lovelace, Ada" <ada@example.org>, Bob <bob@example.org>': [
        (None, "ada@example.org"),
        (None, "bob@example.org"),
    ],
    "ada ada@example.org\nADA@example.org": [("ada", "ada@example.org")],
}
REFUSED = {
    "ada at example.org": "'ada at example.org' has no email address",
    "ada@example.org\nbob": "'bob' has no email address",
    "ada@": "'ada@' must be an address such as name@example.org",
    "12 ada@example.org": "'12' must not be all digits",
    " \n ": "must not be empty",
    "\n".join(f"a{number}@example.org" for number in range(MOST + 1)): (
        "must be at most 50 addresses"
    ),
}
LOGINS = {
    "Ada.Lovelace+forum@example.org": "ada.lovelace",
    "x@example.org": "member",
    "12@example.org": "member",
    "admin@example.org": "member",
    "topics@example.org": "member",
    "o'neil!@example.org": "o-neil",
    "an.address.of.more.letters@example.org": "an.address.of.more.l",
}


@pytest.mark.parametrize("text", READ)
def test_a_list_names(text):
    assert read_invitees(text) == READ[text]


@pytest.mark.parametrize("text", REFUSED)
def test_a_list_is_refused(text):
    with pytest.raises(Invalid) as caught:
        read_invitees(text)
    assert (caught.value.field, caught.value.reason) == ("people", REFUSED[text])


@pytest.mark.parametrize("email", LOGINS)
def test_a_login_is_made_of_an_address(email):
    assert make_login(email, lambda login: True) == LOGINS[email]


def test_a_login_that_somebody_has_gets_a_number():
    taken = {"an.address.of.more.l", *(f"an.address.of.more.{number}" for number in range(2, 10))}
    made = make_login("an.address.of.more.letters@example.org", lambda login: login not in taken)
    assert made == "an.address.of.more10"
