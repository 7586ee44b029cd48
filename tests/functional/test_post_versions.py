"""Former texts: when an edit keeps one, who finds it anywhere, and what ends it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select, text, update

from forumsvc import clock
from forumsvc.background.rerenderer import rerender
from forumsvc.dump import write_dump
from forumsvc.markup import RENDERER_VERSION
from forumsvc.models import PostVersion, Reply, Topic
from forumsvc.services.accounts.erasure.erasure import PostsErasure
from tests.functional.background_jobs import do_periodic_work
from tests.functional.forum import Caller, Forum, Person
from tests.functional.rows import insert_rows
from tests.functional.statements import of_request
from tests.functional.test_data_export import exported, part
from tests.functional.test_erasure import erase
from tests.functional.threads import alone, statuses, together

pytestmark = pytest.mark.both_databases

Pass = Callable[[float], None]


@pytest.fixture
def minutes_pass(monkeypatch: pytest.MonkeyPatch) -> Pass:
    """A clock that stands still until a test lets some minutes pass."""
    now = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: now[0])

    def go_on(minutes: float) -> None:
        now[0] += timedelta(minutes=minutes)

    return go_on


def edit(person: Caller, path: str, **texts: Any) -> Any:
    answer = person.call("PATCH", path, texts)
    assert answer.status_int == 200, answer.text
    return answer.json


def bodies(person: Caller, path: str) -> list[str]:
    return [one["body"] for one in person.get(f"{path}/versions?limit=150").json]


def set_times(forum: Forum, **columns: datetime) -> None:
    with forum.database.session.begin() as db:
        db.execute(update(PostVersion).values(columns))


@pytest.mark.parametrize("kind", ["topics", "replies"])
def test_corrections_of_five_minutes_keep_nothing_and_a_later_edit_keeps_the_last_of_them(
    minutes_pass, forum, alice, topic, kind
):
    path = f"/topics/{topic}" if kind == "topics" else f"/replies/{forum.reply(alice, topic)}"
    begun = alice.get(path).json["created_at"]
    minutes_pass(4.9)
    assert edit(alice, path, body="Corrected")["edited_at"] is None
    minutes_pass(0.1)
    assert edit(alice, path, body="Corrected again")["edited_at"] is None
    minutes_pass(0.01)
    edited = edit(alice, path, body="Another text")["edited_at"]
    assert edited == alice.get(path).json["updated_at"]
    minutes_pass(5)
    assert edit(alice, path, body="Third")["edited_at"] == edited
    minutes_pass(0.01)
    assert edit(alice, path, body="Fourth")["edited_at"] > edited
    first, second = reversed(alice.get(f"{path}/versions").json)
    assert (first["body"], first["created_at"]) == ("Corrected again", begun)
    assert (second["body"], second["created_at"]) == ("Third", edited)


def test_a_reply_a_like_and_a_report_of_another_count_and_own_ones_do_not(
    minutes_pass, forum, alice, bob, topic
):
    path, like = f"/topics/{topic}", {"obj_type": "topic", "obj_id": topic}
    own = [
        partial(forum.reply, alice, topic),
        partial(alice.post, "/likes", **like),
        partial(alice.post, "/reports", **like, category="spam"),
    ]
    others = [
        partial(forum.reply, bob, topic),
        partial(bob.post, "/likes", **like),
        partial(bob.post, "/reports", **like, category="spam"),
    ]
    for number, act in enumerate(own):
        minutes_pass(0.1)
        act()
        assert edit(alice, path, body=f"Own {number}")["edited_at"] is None
    for number, act in enumerate(others, 1):
        minutes_pass(0.1)
        act()
        minutes_pass(0.1)
        edit(alice, path, body=f"Other {number}")
        edit(alice, path, body=f"Corrected {number}")
        assert len(bodies(alice, path)) == number


def test_a_like_of_before_the_last_version_counts_no_more(minutes_pass, forum, alice, bob, topic):
    path = f"/topics/{topic}"
    minutes_pass(1)
    bob.post("/likes", obj_type="topic", obj_id=topic)
    forum.reply(bob, topic)
    for number in range(3):
        minutes_pass(1)
        edit(alice, path, body=f"Text {number}")
    assert bodies(alice, path) == ["A body"]


def test_a_move_to_another_node_keeps_no_text_and_a_moved_topic_keeps_its_versions(
    forum, alice, chief, topic
):
    path = f"/topics/{topic}"
    edit(chief, path, body="Edited")
    versions = alice.get(f"{path}/versions").json
    edited = edit(chief, path, node_id=forum.node("Other"))["edited_at"]
    assert edit(chief, path, node_id=forum.node("Third"), title="A title")["edited_at"] == edited
    assert alice.get(f"{path}/versions").json == versions


def test_of_two_edits_with_the_same_etag_one_keeps_a_version(alice, bob, topic):
    path = f"/topics/{topic}"
    bob.post("/likes", obj_type="topic", obj_id=topic)
    etag = {"If-Match": alice.get(path).headers["ETag"]}
    answers = [alice.call("PATCH", path, {"body": body}, headers=etag) for body in ("One", "Two")]
    assert [one.status_int for one in answers] == [200, 412]
    assert bodies(alice, path) == ["A body"]


@pytest.mark.parametrize("kind", ["topics", "replies"])
def test_of_edits_at_the_same_time_none_loses_the_text_of_another(forum, alice, chief, topic, kind):
    path = f"/topics/{topic}" if kind == "topics" else f"/replies/{forum.reply(alice, topic)}"
    before = alice.get(path).json["body"]
    others = [forum.person(login, role="maintainer") for login in ("deputy", "third")]
    people = [chief, alice, *others]
    calls = [alone(forum, one) for one in people]
    answers = together(
        [partial(one.call, "PATCH", path, {"body": f"Of {at}"}) for at, one in enumerate(calls)]
    )
    assert statuses(answers) == {200: 4}
    kept = chief.get(f"{path}/versions").json
    assert [one["number"] for one in kept] == [4, 3, 2, 1][-len(kept) :]
    # Of two edits of alice's own in a row, one corrects the other.
    texts = [one["body"] for one in kept] + [chief.get(path).json["body"]]
    assert {f"Of {at}" for at in (0, 2, 3)} <= {*texts}
    assert before in texts or len(kept) == 3


def test_a_thousand_versions_are_paged_by_the_same_number_of_statements(forum, alice, topic):
    row = {"topic_id": topic, "user_id": alice.id, "editor_id": alice.id, "title": "T"}
    row["replaced_at"] = clock.now()
    with forum.database.session.begin() as db:
        insert_rows(db, PostVersion, [{**row, "number": number} for number in range(1, 1001)])
    forum.nobody.get(f"/topics/{topic}")
    seen, path = [], f"/topics/{topic}/versions?limit=150"
    counts = set()
    while path:
        counts.add(len(of_request(forum, alice, "GET", path)))
        answer = alice.get(path)
        seen += [one["number"] for one in answer.json]
        links = {rel: url for url, rel in _links(answer)}
        path = links.get("next", "").partition("/api/v3")[2]
    assert seen == [*range(1000, 0, -1)]
    assert len(counts) == 1
    rest = alice.get(f"/topics/{topic}/versions", offset=998).json
    assert [one["number"] for one in rest] == [2, 1]
    assert alice.get(f"/topics/{topic}/versions", limit=151).status_int == 400
    assert len(edit(alice, f"/topics/{topic}", body="Next")["body"]) == 4


@pytest.mark.parametrize("kind", ["topics", "replies"])
def test_the_thousandth_edit_costs_as_many_statements_as_the_second(forum, alice, chief, kind):
    topic = forum.topic(alice, forum.node())
    path = f"/topics/{topic}" if kind == "topics" else f"/replies/{forum.reply(alice, topic)}"
    edit(chief, path, body="First")
    before = len(of_request(forum, alice, "PATCH", path, body="Second"))
    with forum.database.session.begin() as db:
        kept = db.execute(select(PostVersion.__table__)).mappings().first()
        row = {name: value for name, value in (kept or {}).items() if name != "id"}
        insert_rows(db, PostVersion, [{**row, "number": at} for at in range(3, 1000)])
    edit(chief, path, body="Third")
    assert len(of_request(forum, alice, "PATCH", path, body="Fourth")) == before
    assert alice.get(f"{path}/versions").json[0]["number"] == 1001


def _links(answer: Any) -> list[tuple[str, str]]:
    parts = [one.split("; ") for one in answer.headers.get("Link", "").split(", ") if one]
    return [(url.strip("<>"), rel.split("=")[1].strip('"')) for url, rel, *_ in parts]


@pytest.fixture
def hidden(forum: Forum, alice: Person, chief: Person, topic: int) -> int:
    """A topic whose former text, "Zebrafish", is hidden."""
    edit(chief, f"/topics/{topic}", title="Zebrafish", body="Zebrafish 555")
    edit(alice, f"/topics/{topic}", title="Fine", body="Fine")
    assert chief.post(f"/topics/{topic}/versions/2/hide").status_int == 200
    return topic


def test_what_is_hidden_is_in_nothing_that_others_get(make_forum, tmp_path):
    forum = make_forum(posts__versions_open="true")
    alice, bob, chief = forum.person("alice"), forum.person("bob"), _chief(forum)
    root = forum.person("root", role="admin", scope="read write admin")
    topic = forum.topic(alice, forum.node(), body="Begun")
    reply = forum.reply(alice, topic, "Begun")
    for path in (f"/topics/{topic}", f"/replies/{reply}"):
        edit(chief, path, body="Zebrafish 555")
        edit(alice, path, body="Fine")
        assert chief.post(f"{path}/versions/2/hide").status_int == 200
        assert chief.get(f"{path}/versions").json[0]["body"] == "Zebrafish 555"
        for who in (forum.nobody, alice, bob, root):
            shown = who.get(f"{path}/versions")
            assert [one["number"] for one in shown.json] == [1], shown.text
            assert "Zebrafish" not in who.get(path).text
        for page in (f"{path}/versions", f"{path}/versions/1", f"/topics/{topic}"):
            assert "Zebrafish" not in forum.app.get(page, status=200).text
        assert forum.app.get(f"{path}/versions/2", status=404)
    for page in ("/topics/feed.xml", "/topics", "/alice"):
        assert "Zebrafish" not in forum.app.get(page).text
    assert "Zebrafish" not in root.get("/events?limit=150").text
    for person in (alice, bob):
        archive = exported(forum, person)
        files = [name for name in archive.namelist() if name.endswith(".json")]
        assert not any(b"Zebrafish" in archive.read(name) for name in files)
    manifest = write_dump(forum.database, tmp_path / "dump", secrets=False)
    assert "post_versions" not in manifest.tables
    # Who wrote it gets it with their own data, and a dump with secrets is all there is.
    own = part(exported(forum, chief), "versions")
    assert [one["body"] for one in own] == ["Zebrafish 555"] * 2
    assert "post_versions" in write_dump(forum.database, tmp_path / "all", secrets=True).tables


def _chief(forum: Forum) -> Person:
    return forum.person("chief", role="maintainer", scope="read write moderate")


def test_hiding_is_logged_once_and_ends_the_cached_page(make_forum):
    forum = make_forum(posts__versions_open="true")
    alice, chief = forum.person("alice"), _chief(forum)
    topic = forum.topic(alice, forum.node())
    edit(chief, f"/topics/{topic}", body="Fine")
    pages = [forum.app.get(f"/topics/{topic}") for _ in range(2)]
    assert all(f"/topics/{topic}/versions" in page.text for page in pages)
    for _ in range(2):
        assert chief.post(f"/topics/{topic}/versions/1/hide").json == {"ok": 1}
    assert f"/topics/{topic}/versions" not in forum.app.get(f"/topics/{topic}").text
    log = chief.get("/moderation/log", action="version.hidden").json
    assert [(one["topic_id"], one["details"]) for one in log] == [(topic, {"number": 1})]
    assert log[0]["user"]["login"] == "alice"


def test_an_export_has_what_the_person_wrote_and_nothing_that_others_wrote(
    forum, alice, chief, topic
):
    edit(chief, f"/topics/{topic}", body="By chief")
    edit(alice, f"/topics/{topic}", body="By alice")
    assert [one["body"] for one in part(exported(forum, alice), "versions")] == ["A body"]
    assert [one["body"] for one in part(exported(forum, chief), "versions")] == ["By chief"]


@pytest.mark.parametrize("posts", [*PostsErasure])
def test_an_erasure_deletes_the_former_texts_of_a_person_whatever_becomes_of_the_posts(
    forum, alice, bob, chief, topic, posts
):
    other = forum.topic(bob, forum.node("Other"), body="Of bob @alice")
    reply = forum.reply(alice, other, "Of alice")
    posts_of = {f"/topics/{topic}": alice, f"/replies/{reply}": alice, f"/topics/{other}": bob}
    for path, author in posts_of.items():
        edit(chief, path, body="By chief")
        edit(author, path, body="Last")
    assert forum.count(PostVersion) == 6
    erase(forum, alice, posts)
    with forum.database.reads.connect() as db:
        columns = PostVersion.topic_id, PostVersion.body, PostVersion.body_html
        kept = db.execute(select(*columns).order_by(PostVersion.number))
        left = [(one.topic_id, one.body) for one in kept if "/alice" not in one.body_html]
    assert left == [(other, f"Of bob @deleted-{alice.id}"), (other, "By chief")]


def test_of_an_erased_editor_the_texts_go_and_the_topic_and_later_edits_stay_right(
    forum, alice, bob, chief, topic
):
    path = f"/topics/{topic}"
    edit(chief, path, body="By chief")
    edit(alice, path, body="Last of alice")
    edit(chief, path, body="Again by chief")
    erase(forum, chief, PostsErasure.KEEP)
    assert bodies(alice, path) == ["Last of alice", "A body"]
    assert alice.get(path).json["body"] == "Again by chief"
    edit(alice, path, body="Alice again")
    newest = alice.get(f"{path}/versions").json[0]
    assert (newest["body"], newest["editor"]["login"]) == ("Again by chief", f"deleted-{chief.id}")
    assert [one["number"] for one in alice.get(f"{path}/versions").json] == [4, 3, 1]


def test_purging_a_deleted_post_deletes_its_former_texts(make_forum):
    forum = make_forum(posts__purge_deleted_days="30")
    alice, chief = forum.person("alice"), _chief(forum)
    node = forum.node()
    topic, gone = forum.topic(alice, node), forum.topic(alice, node)
    reply = forum.reply(alice, topic)
    for path in (f"/topics/{topic}", f"/topics/{gone}", f"/replies/{reply}"):
        edit(chief, path, body="Edited")
    alice.delete(f"/replies/{reply}")
    alice.delete(f"/topics/{gone}")
    with forum.database.session.begin() as db:
        for post in (Topic, Reply):
            db.execute(
                update(post)
                .where(post.deleted_at.is_not(None))
                .values(deleted_at=clock.now() - timedelta(days=31))
            )
    do_periodic_work(forum)
    with forum.database.reads.connect() as db:
        assert db.scalars(select(PostVersion.topic_id)).all() == [topic]


@pytest.mark.parametrize(("days", "left"), [("0", 2), ("30", 1)])
def test_a_sweep_deletes_versions_that_were_replaced_long_ago(make_forum, days, left):
    forum = make_forum(posts__versions_days=days)
    alice, chief = forum.person("alice"), _chief(forum)
    topic = forum.topic(alice, forum.node())
    edit(chief, f"/topics/{topic}", body="Edited")
    set_times(forum, replaced_at=clock.now() - timedelta(days=31))
    edit(alice, f"/topics/{topic}", body="Edited again")
    set_times(forum, created_at=clock.now() - timedelta(days=400))
    do_periodic_work(forum)
    assert len(bodies(alice, f"/topics/{topic}")) == left
    # The number of a later one is higher than that of each that is still there.
    edit(chief, f"/topics/{topic}", body="Third")
    numbers = [one["number"] for one in alice.get(f"/topics/{topic}/versions").json]
    assert numbers == [3, 2, 1][: left + 1]
    assert alice.get(f"/topics/{topic}").json["edited_at"]


def test_a_new_renderer_makes_the_html_of_former_texts_anew(forum, alice, chief, topic):
    edit(chief, f"/topics/{topic}", body="Edited")
    old = {"markup_version": RENDERER_VERSION - 1, "body_html": "<script>old()</script>"}
    with forum.database.session.begin() as db:
        db.execute(update(PostVersion).values(old))
    registry = forum.registry
    for _ in rerender(forum.database, registry.authoring, registry.forum_settings):
        pass
    [version] = alice.get(f"/topics/{topic}/versions").json
    assert version["body_html"] == "<p>A body</p>"


def test_a_text_that_the_search_and_events_know_is_the_present_one(forum, alice, bob, topic):
    bob.post("/likes", obj_type="topic", obj_id=topic)
    edit(alice, f"/topics/{topic}", title="T" * 255, body="B" * 60_000)
    edit(alice, f"/topics/{topic}", body="<script>alert(1)</script>")
    with forum.database.reads.connect() as db:
        assert "A body" not in str(db.execute(text("SELECT * FROM events")).all())
    assert [one["title"] for one in alice.get(f"/topics/{topic}/versions").json] == ["A title"]


def test_in_the_keyed_shape_they_are_a_named_list_of_users_with_abilities(make_forum):
    forum = make_forum(api__envelope="keyed")
    alice, chief = forum.person("alice"), _chief(forum)
    topic = forum.topic(alice, forum.node())
    reply = forum.reply(alice, topic)
    for path, key in ((f"/topics/{topic}", "topic"), (f"/replies/{reply}", "reply")):
        assert alice.get(path).json[key]["edited_at"] is None
        assert edit(chief, path, body="Edited")[key]["edited_at"]
        [version] = alice.get(f"{path}/versions").json["versions"]
        assert version["editor"]["abilities"] == {"update": True, "destroy": True}
        assert chief.post(f"{path}/versions/1/hide").json == {"ok": 1}
        assert alice.get(f"{path}/versions").json == {"versions": []}
        assert forum.nobody.get(f"{path}/versions").json["error"] == "Unauthorized"


def test_a_silenced_author_reads_and_a_deleted_account_stays_the_editor(forum, alice, chief, topic):
    edit(chief, f"/topics/{topic}", body="Edited")
    forum.change(alice.id, state="blocked")
    assert bodies(alice, f"/topics/{topic}") == ["A body"]
    assert alice.post(f"/topics/{topic}/versions/1/hide").status_int == 403
    forum.change(alice.id, state="deleted")
    [version] = chief.get(f"/topics/{topic}/versions").json
    assert version["editor"]["login"] == "alice"
