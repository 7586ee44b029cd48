"""What a login, an e-mail address, a password and a name may be."""

import pytest

from forumsvc.errors import Invalid
from forumsvc.passwords import MAX_LENGTH
from forumsvc.services import accounts
from forumsvc.services.content.short_texts import validate_line, validate_lines
from forumsvc.services.login_names import check_login, check_own_login
from tests.cases import each


@each("login", ["ab", "a" * 20, "_a_", "a.b-c", "7up", "json", "me2", "A_", "__"])
def test_a_login_of_the_allowed_form_is_one(login: str) -> None:
    assert check_login(login) == login


@each(
    "login",
    [
        *("a", "a" * 21, "", "12", "12345", "-ab", "ab-", ".ab", "ab.", "a b", "a/b", "a@b"),
        *("ab\n", "\nab", "a\x00b"),
        *("me", "ME", "null", "Undefined", "deleted", "a.json", "a.JSON"),
        *("\u00e4nn", "\u212aarl", "\uff11\uff12a", "\u0663\u0663", "ann\udcff"),
    ],
)
def test_a_login_of_another_form_is_none(login: str) -> None:
    with pytest.raises(Invalid, match=r"^login: "):
        check_login(login)


@each("login", ["deleted-7", "ads.txt", "Index.HTML", "wp-login.php"])
def test_a_login_that_is_an_erased_users_or_a_file_is_reserved(login: str) -> None:
    with pytest.raises(Invalid, match=r"^login: .* is reserved"):
        check_login(login)


@each("login", ["root", "Moderator", "support", "admin"])
def test_names_of_the_staff_are_given_by_administrators_only(login: str) -> None:
    assert check_login(login) == login
    with pytest.raises(Invalid, match=r"^login: .* is reserved"):
        check_own_login(login)
    assert check_own_login("rooty") == "rooty"


@each(
    ("given", "kept"),
    [
        ("a+b.c@example.org", "a+b.c@example.org"),
        (" Ann@Example.org ", "Ann@Example.org"),
        ("\u00e4@b\u00fccher.example", "\u00e4@b\u00fccher.example"),
        ("a" * 243 + "@example.org", "a" * 243 + "@example.org"),
    ],
)
def test_an_email_is_kept_as_it_was_written(given: str, kept: str) -> None:
    assert accounts.check_email(given) == kept


@each(
    "email",
    [
        *("", " ", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\x07", "a@b\u2003c", "a@b\udcff"),
        *("a" * 244 + "@example.org", "\u0130" * 127 + "@" + "b" * 120 + ".example"),
        *("a@b", "x@example.org(c)", "x@(c)example.org", "(c)x@example.org", '"x"@example.org'),
        *("x@[203.0.113.9]", "x@203.0.113.9", "x@example.org.", ".x@example.org", "x..y@b.example"),
        *("<x@example.org>", "x,y@example.org", "x@" + "a" * 64 + ".org", "x@xn--\udcff.org"),
    ],
)
def test_an_email_that_is_no_address_is_none(email: str) -> None:
    with pytest.raises(Invalid, match=r"^email: "):
        accounts.check_email(email)


@each("password", ["1234567890", " " * 10, "\udcff" * 10, "x" * MAX_LENGTH])
def test_a_password_is_any_text_of_the_right_length(password: str) -> None:
    assert accounts.check_password(password) == password


@each("password", ["", "123456789", "x" * (MAX_LENGTH + 1)])
def test_a_password_too_short_or_too_long_is_none(password: str) -> None:
    with pytest.raises(Invalid, match=r"^password: "):
        accounts.check_password(password)


def test_a_text_loses_the_blanks_around_it() -> None:
    assert validate_line("name", " a b ", 3) == "a b"
    assert validate_lines("summary", "\n a\n\tb \n", 4) == "a\n\tb"


@each("text", ["abcd", "a\nb", "a\x00", "\x1bb", "a\x85b", "\ud800"])
def test_one_line_holds_no_control_characters_and_has_a_bound(text: str) -> None:
    with pytest.raises(Invalid, match=r"^name: "):
        validate_line("name", text, 3)


@each("text", ["", " ", "\n"])
def test_a_text_that_is_needed_is_not_blank(text: str) -> None:
    with pytest.raises(Invalid, match=r"^name: "):
        validate_line("name", text, 3, shortest=1)


@each("text", ["a" * 5, "a\x00", "\x1bb", "\ud800"])
def test_many_lines_hold_no_other_control_characters_and_have_a_bound(text: str) -> None:
    with pytest.raises(Invalid, match=r"^summary: "):
        validate_lines("summary", text, 4)
