"""What a login, an e-mail address, a password and a name may be."""

import pytest

from forumsvc.errors import Invalid
from forumsvc.process.passwords import MAX_LENGTH
from forumsvc.services.accounts import accounts
from forumsvc.services.accounts.login_names import (
    check_application_name,
    check_login,
    check_own_login,
)
from forumsvc.services.posts.short_texts import validate_line, validate_lines, validate_name
from forumsvc.text.email_addresses import ascii_address, email_key
from tests.cases import each


@each("login", ["ab", "a" * 20, "_a_", "a.b-c", "7up", "json", "me2", "A_", "__"])
def test_a_login_of_the_allowed_form_is_one(login):
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
def test_a_login_of_another_form_is_none(login):
    with pytest.raises(Invalid, match=r"^login: "):
        check_login(login)


@each("login", ["deleted-7", "ads.txt", "Index.HTML", "wp-login.php"])
def test_a_login_that_is_an_erased_users_or_a_file_is_reserved(login):
    with pytest.raises(Invalid, match=r"^login: .* is reserved"):
        check_login(login)


@each("login", ["root", "Moderator", "support", "admin"])
def test_names_of_the_staff_are_given_by_administrators_only(login):
    assert check_login(login) == login
    with pytest.raises(Invalid, match=r"^login: .* is reserved"):
        check_own_login(login)
    assert check_own_login("rooty") == "rooty"


@each(
    ("name", "is_allowed"),
    [
        *(("The Tea House", False), ("tea-house (official) ✔", False), ("ＡＤＭＩＮ", False)),
        *(("Admin\u200b team", False), ("Téa  House_Support", False), ("moderator", False)),
        *(("Tea House reader", True), ("Teapot", True), ("✔", True), ("茶馆", True)),
    ],
)
def test_an_application_of_a_member_does_not_read_as_the_site(name, is_allowed):
    if is_allowed:
        assert check_application_name(name, "The Tea House") == name
        return
    with pytest.raises(Invalid, match=r"^name: must not read as if it were this site"):
        check_application_name(name, "The Tea House")


@each(
    ("given", "kept"),
    [
        ("a+b.c@example.org", "a+b.c@example.org"),
        (" Ann@Example.org ", "Ann@Example.org"),
        ("a@b\u00fccher.example", "a@b\u00fccher.example"),
        ("a" * 243 + "@example.org", "a" * 243 + "@example.org"),
    ],
)
def test_an_email_is_kept_as_it_was_written(given, kept):
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
def test_an_email_that_is_no_address_is_none(email):
    with pytest.raises(Invalid, match=r"^email: "):
        accounts.check_email(email)


@each(
    "email", ["\u00e4@example.org", "用户@例子.example", "j\u043ehn@example.org", "a.\u00e9@b.org"]
)
def test_an_email_to_which_no_mail_could_be_sent_is_refused(email):
    with pytest.raises(Invalid, match=r"^email: must have ASCII letters before the @"):
        accounts.check_email(email)
    assert email_key(email) is not None


@each(
    ("one", "other", "are_equal"),
    [
        ("a@fa\u00df.de", "a@fass.de", False),
        ("a@FA\u1e9e.de", "a@xn--fa-hia.de", True),
        ("a@XN--FA-HIA.de", "A@fa\u00df.DE", True),
        ("a@\u03b2\u03cc\u03bb\u03bf\u03c2.com", "a@\u03b2\u03cc\u03bb\u03bf\u03c3.com", False),
        ("a@\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.com", "a@xn--mgba3gch31f060k.com", True),
        ("a@b\u00fccher.example", "a@bu\u0308cher\u3002EXAMPLE", True),
        ("a@\uff45\uff58.org", "a@ex.org", True),
        ("a@\u2603.net", "a@xn--n3h.net", True),
    ],
)
def test_domains_are_compared_as_idna_2008_has_them(one, other, are_equal):
    assert email_key(one) is not None
    assert (email_key(one) == email_key(other)) is are_equal


@each(
    ("email", "in_ascii"),
    [
        ("Ann@Example.org", "Ann@Example.org"),
        ("Ann@M\u00fcnchen.example", "Ann@xn--mnchen-3ya.example"),
        ("ann@fa\u00df.de", "ann@xn--fa-hia.de"),
        ("\u00e4@example.org", None),
        ("a@\u00fc", None),
    ],
)
def test_an_address_in_an_email_is_in_ascii(email, in_ascii):
    assert ascii_address(email) == in_ascii


@each(
    ("password", "is_allowed"),
    [
        *(("x" * length, 10 <= length <= MAX_LENGTH) for length in (0, 9, 10, MAX_LENGTH)),
        *(("x" * (MAX_LENGTH + 1), False), (" " * 10, True), ("\udcff" * 10, True)),
        # As NFC they have nine characters, and the most.
        *(("e\u0301" * 9, False), ("é" * MAX_LENGTH, True)),
        *(("long enough\t", False), ("long\r\nenough", False), ("long enough\x85", False)),
    ],
)
def test_a_password_is_any_text_of_the_right_length(password, is_allowed):
    if is_allowed:
        assert accounts.check_password(password) == password
        return
    with pytest.raises(Invalid, match=r"^password: "):
        accounts.check_password(password)


def test_a_password_is_kept_in_the_form_of_rfc_8265():
    typed = "pa\u0308sswo\u0308rt\u00a0lang\u3000ａＢ\u212b"
    assert accounts.check_password(typed) == "pässwört lang ａＢÅ"


def test_a_text_loses_the_blanks_around_it():
    assert validate_line("name", " a b ", 3) == "a b"
    assert validate_lines("summary", "\n a\r\n\tb \r", 4) == "a\n\tb"


@each("text", ["\u3164", "\u200b", "\u2800 \u0301"])
def test_a_text_of_invisible_characters_is_none(text):
    for check in (validate_line, validate_name, validate_lines):
        with pytest.raises(Invalid, match=r"^name: must have a visible character"):
            check("name", text, 9)
    assert validate_name("name", f"a{text[0]}b", 9) in ("ab", "a\u2800b")


@each("text", ["", "abcde", "a\x00", "\x1bb", "a\x85b", "\ud800"])
def test_a_text_has_a_bound_and_no_control_characters(text):
    with pytest.raises(Invalid, match=r"^name: "):
        validate_line("name", text, 4, shortest=1)
    if text:
        with pytest.raises(Invalid, match=r"^summary: "):
            validate_lines("summary", text, 4)
    with pytest.raises(Invalid, match=r"^name: "):
        validate_line("name", "a\nb", 4)
