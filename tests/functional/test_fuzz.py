"""Schemathesis finds no error in any operation, without a token, as member and as admin."""

import pytest

from tests.databases import on_postgresql
from tests.functional.fuzzing import There, fuzz, picture, served

WITHOUT = {
    "nobody": (),
    "member": (),
    # To admins a deleted topic or reply is still there, with `deleted`.
    "admin": ("use_after_free",),
}
# What nobody may do, a member does by the same code, and what a member may do, an admin.
SCOPES = {"nobody": (), "member": ("read", "write"), "admin": ("moderate", "admin")}


@on_postgresql
@pytest.mark.parametrize("role", WITHOUT)
def test_no_request_of_the_description_is_answered_wrongly(
    forum, role, record_property, monkeypatch
):
    # Reading the environment anew for each request is a twentieth of the test's time.
    monkeypatch.setattr("requests.sessions.get_environ_proxies", lambda *_, **__: {})
    person = forum.person("somebody", role="admin" if role == "admin" else "member")
    # With nothing to confirm, a right request for the link would be a 400.
    forum.change(person.id, unconfirmed_email="somebody@example.org")
    other = forum.person("other")
    node = forum.node()
    topic = forum.topic(person, node, body="For @other")
    forum.reply(other, topic, "For @somebody")
    photo = person.call("POST", "/photos", upload_files=[("file", "a.png", picture())])
    there = There(node, topic, photo.json["image_url"])
    with served(forum.application) as base_url:
        token = None if role == "nobody" else person.token
        fuzzed = fuzz(base_url, there, token=token, without=WITHOUT[role], scopes=SCOPES[role])
    summary = f"fuzzed as {role}: {fuzzed.cases.total()} cases, {len(fuzzed.found)} failures"
    record_property("summary", f"{summary}; answers {dict(sorted(fuzzed.statuses.items()))}")
    assert fuzzed.found == []
    assert set(fuzzed.cases) == {"examples", "coverage", "fuzzing", "stateful"}
    assert fuzzed.cases.total() > 500
