"""PUT /users/me."""

from tests.cases import each
from tests.functional.forum import Forum, Person
from tests.functional.test_photos import send


def test_what_is_sent_changes_and_the_rest_stays(forum: Forum, alice: Person) -> None:
    alice.put("/users/me", location="Oslo", bio="I write.")
    changed = alice.put("/users/me", location="Rome")
    assert changed.status_int == 200
    assert (changed.json["location"], changed.json["bio"]) == ("Rome", "I write.")
    assert forum.nobody.get("/users/alice").json["location"] == "Rome"


def test_an_empty_text_empties_the_field(alice: Person) -> None:
    alice.put("/users/me", name="Alice A.", tagline="Hi")
    emptied = alice.put("/users/me", name="", tagline="").json
    assert (emptied["name"], emptied["tagline"]) == ("alice", "")


def test_the_email_is_shown_to_others_once_it_is_public(forum: Forum) -> None:
    alice, bob = forum.person("alice"), forum.person("bob")
    forum.change(alice.id, email="a@example.org", email_key="a@example.org")
    assert bob.get("/users/alice").json["email"] == ""
    alice.call("PUT", "/users/me", json={"email_public": True})
    assert bob.get("/users/alice").json["email"] == "a@example.org"


@each(
    ("field", "value"),
    [
        ("website", "javascript:alert(1)"),
        ("website", "http://"),
        ("email_public", "yes"),
        ("bio", "x" * 2001),
        ("name", "a\0b"),
        ("avatar", "ab/nothing.png"),
        ("avatar", "ab/\0.png"),
    ],
)
def test_a_wrong_value_is_named_and_nothing_changes(alice: Person, field: str, value: str) -> None:
    before = alice.get("/users/me").json
    refused = alice.put("/users/me", location="Rome", **{field: value})
    assert refused.status_int == 400
    assert refused.json["error"].startswith(f"{field}:")
    assert alice.get("/users/me").json == before


LINES = ["name", "location", "company", "codehost", "microblog", "tagline", "website"]


@each("character", ["\n", "\x07", "\x85", "\u2028", "\u202e", "\u2067"])
def test_a_profile_line_takes_no_line_break_or_control_character(
    alice: Person, character: str
) -> None:
    for field in LINES:
        sent = {field: f"http://a{character}b"}
        answer = alice.call("PUT", "/users/me", json=sent)
        reason = f"must not contain line breaks or control characters (U+{ord(character):04X})"
        assert (answer.status_int, answer.json) == (400, {"error": f"{field}: {reason}"})


def test_a_bio_has_lines_and_no_other_control_character(alice: Person) -> None:
    assert alice.call("PUT", "/users/me", json={"bio": "a\r\n\tb"}).json["bio"] == "a\r\n\tb"
    answer = alice.call("PUT", "/users/me", json={"bio": "a\x1bb"})
    reason = "must not contain control characters (U+001B)"
    assert (answer.status_int, answer.json) == (400, {"error": f"bio: {reason}"})


def test_a_file_is_no_avatar(alice: Person) -> None:
    answer = alice.call("PUT", "/users/me", upload_files=[("avatar", "a.png", b"x")])
    assert (answer.status_int, answer.json) == (400, {"error": "avatar: must be a text"})


def test_the_picture_of_somebody_else_is_no_avatar(alice: Person, bob: Person) -> None:
    refused = bob.put("/users/me", avatar=send(alice).json["image_url"])
    assert refused.status_int == 400
    assert refused.json["error"].startswith("avatar:")


@each("address", ["a\0b", "\ud800"])
def test_a_picture_is_not_looked_for_under_what_is_no_text(alice: Person, address: str) -> None:
    refused = alice.call("PUT", "/users/me", json={"avatar": address})
    assert refused.status_int == 400
    assert refused.json["error"].startswith("avatar: must not contain")
