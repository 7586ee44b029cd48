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
        ("name", "a\u2028b"),
        ("name", "\u3164"),
        ("tagline", "\u200b\u2800"),
        ("bio", "a\x1bb"),
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


def test_a_name_is_shown_without_what_nobody_sees_of_it(alice: Person) -> None:
    assert alice.put("/users/me", name="ad\u200bmin\u3164").json["name"] == "admin"
    assert alice.put("/users/me", name="علی\u200cرضا").json["name"] == "علی\u200cرضا"


def test_a_file_is_no_avatar(alice: Person) -> None:
    answer = alice.call("PUT", "/users/me", upload_files=[("avatar", "a.png", b"x")])
    assert (answer.status_int, answer.json) == (400, {"error": "avatar: must be a text"})


def test_the_picture_of_somebody_else_is_no_avatar(alice: Person, bob: Person) -> None:
    refused = bob.put("/users/me", avatar=send(alice).json["image_url"])
    assert refused.status_int == 400
    assert refused.json["error"].startswith("avatar:")
