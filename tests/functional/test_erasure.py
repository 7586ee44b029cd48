"""Erasing a person: what is left of them, what others see, and that it goes on after a kill."""

import logging
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect, select, text, update

from forumsvc import clock
from forumsvc.background import account_worker
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.search_indexer import SearchIndexer
from forumsvc.background.tasks import create_consumers
from forumsvc.errors import Conflict
from forumsvc.models import (
    AccessBlock,
    AuditRecord,
    Event,
    Favorite,
    Job,
    JobKind,
    Notification,
    OAuthClient,
    OAuthToken,
    PostNetwork,
    Reply,
    Topic,
    User,
)
from forumsvc.process.passwords import hash_password
from forumsvc.services import jobs
from forumsvc.services.access.values import email_digest
from forumsvc.services.accounts import accounts, admin_edit, email_confirmation
from forumsvc.services.accounts.erasure import erasure
from forumsvc.services.accounts.erasure.erasure import PostsErasure
from forumsvc.services.accounts.erasure.steps import STEPS
from forumsvc.services.posts.rerendering import Rerendering
from tests.databases import on_postgresql, on_sqlite
from tests.functional.background_jobs import do_periodic_work, report_host
from tests.functional.checked_app import CheckedApp
from tests.functional.conftest import MakeForum
from tests.functional.event_horizon import wait_for_horizon
from tests.functional.forum import Forum, Person, content
from tests.functional.pages.visitor import PASSWORD, Visitor
from tests.functional.recounting import drift
from tests.functional.rows import insert_row
from tests.functional.test_photos_own import upload
from tests.functional.test_reports import report
from tests.functional.threads import together
from tests.system.process import wait_until

pytestmark = pytest.mark.both_databases

LOGIN, NAME, EMAIL = "Zorblatt", "Zenobia Quux", "zq.private@mailhost.example"
ADDRESS, SITE = "203.0.113.77", "http://localhost"
KEPT = {
    *("topics.user_id", "topics.last_reply_user_id", "replies.user_id"),
    *("held_posts.user_id", "reports.reporter_id", "reviews.user_id"),
}
"""The columns that refer to users in which an erased person still is."""
PAGES = [(whose, end) for whose in ("own", "other") for end in ("", "/replies")]


@pytest.fixture
def forum(make_forum: MakeForum, tmp_path: Path) -> Forum:
    return make_forum(
        photos__dir=str(tmp_path / "photos"),
        accounts__registration="open",
        moderation__keep_addresses_days="30",
        site__url=SITE,
        mail__delivery="folder",
        accounts__confirm_email="true",
        mail__requests_per_hour="1000",
    )


@pytest.fixture
def zoe(forum: Forum) -> Person:
    """The person whom the tests erase."""
    person = forum.person(LOGIN)
    forum.change(person.id, name=NAME, name_key=NAME.lower(), email=EMAIL, email_key=EMAIL)
    forum.change(person.id, bio=f"I am {NAME}", email_confirmed_at=clock.now())
    forum.change(person.id, password_hash=hash_password(PASSWORD))
    return person


@pytest.fixture
def traces(forum: Forum, zoe: Person, bob: Person, node: int) -> dict[str, int]:
    """The ids of topics and replies; everybody likes, follows, reports and mentions everybody."""
    carol = forum.person("carol")
    own, other = forum.topic(zoe, node, body="My text"), forum.topic(bob, node)
    reply = forum.reply(zoe, other, "My reply")
    page = f"{SITE}/{LOGIN}"
    mention = forum.reply(bob, own, f"@{LOGIN} wrote `@{LOGIN.lower()}` [here]({page}), {EMAIL}.")
    forum.reply(carol, other, f"@{LOGIN}x and github.com/{LOGIN}x are others")
    for liker, liked in ((zoe, other), (bob, own)):
        liker.post("/likes", obj_type="topic", obj_id=liked)
        liker.post(f"/topics/{liked}/favorite")
        liker.post(f"/topics/{liked}/follow")
    zoe.post("/likes", obj_type="reply", obj_id=mention)
    zoe.post("/users/bob/follow")
    bob.post(f"/users/{LOGIN}/follow")
    zoe.post("/users/carol/block")
    carol.post(f"/users/{LOGIN}/block")
    report(bob, "topic", own, comment=f"@{LOGIN} is rude")
    report(zoe, "topic", other, comment=f"I, {NAME}, say so")
    upload(zoe)
    zoe.post(f"/nodes/{node}/mute")
    zoe.post("/devices", platform="ios", token="abc")
    zoe.put("/drafts/topic-new", title="Mine", body="Not for others")
    with forum.database.session.begin() as db:
        client = {"client_id": "hers", "name": "Hers", "grants": "", "scopes": ""}
        client_id = insert_row(db, OAuthClient, owner_id=zoe.id, **client)
        token = {"family": "f", "scope": "", "access_hash": "h", "access_expires_at": clock.now()}
        insert_row(db, OAuthToken, client_id=client_id, user_id=bob.id, **token)
    return {"own": own, "other": other, "reply": reply, "mention": mention}


def order(forum: Forum, user: Person, posts: PostsErasure = PostsErasure.KEEP) -> None:
    secret = forum.application.registry.forum_settings["session.secret"]
    with forum.database.session.begin() as db:
        erasure.erase_user(db, None, clock.now(), user.id, posts=posts, secret=secret)


def worker(forum: Forum) -> JobRunner:
    registry = forum.application.registry
    settings, storages = registry.forum_settings, registry.photo_storages
    handler = account_worker.AccountWorker(forum.database, storages, settings)
    return JobRunner(forum.database, [handler], 1.0)


def work(forum: Forum) -> None:
    """Let the background worker do what is ordered, and index the texts."""
    for _ in range(10):
        with forum.database.session.begin() as db:
            db.execute(update(Job).where(Job.kind == JobKind.ACCOUNT).values(due_at=clock.now()))
        worker(forum).run_due(JobKind.ACCOUNT)
        wait_for_horizon(forum.database)
        while SearchIndexer(forum.database).run():
            pass
        if not account_jobs(forum):
            break


def erase(forum: Forum, user: Person, posts: PostsErasure = PostsErasure.KEEP) -> None:
    order(forum, user, posts)
    work(forum)


def rename(forum: Forum, login: str, new_login: str) -> None:
    with forum.database.session.begin() as db:
        admin_edit.edit(db, clock.now(), login, new_login=new_login)
    work(forum)


def account_jobs(forum: Forum) -> int:
    with forum.database.reads.connect() as db:
        return len(db.scalars(select(Job.id).where(Job.kind == JobKind.ACCOUNT)).all())


def everything(forum: Forum) -> Iterator[tuple[str, str]]:
    """Yield each value of each column of each table, as text, with the name of its table."""
    with forum.database.reads.connect() as db:
        for table in inspect(db).get_table_names():
            for row in db.execute(text(f'SELECT * FROM "{table}"')):  # noqa: S608
                for value in row:
                    if isinstance(value, bytes):
                        yield table, value.decode("utf-8", "replace")
                    yield table, str(value)


def found(forum: Forum, *words: str) -> set[tuple[str, str]]:
    return {
        (table, value)
        for table, value in everything(forum)
        if any(word.lower() in value.lower() for word in words)
    }


def connect_from_their_address(forum: Forum, zoe: Person, bob: Person, topic: int) -> None:
    """Log in and out, mistype, write with a key, and be written to: all that keeps an address."""
    here = {"REMOTE_ADDR": ADDRESS}
    zoe.app = CheckedApp(forum.application)
    zoe.app.extra_environ.update(here)
    browser = Visitor(forum, **here)
    assert browser.log_in(LOGIN, "not theirs").status_int == 400
    assert browser.log_in(LOGIN, PASSWORD).status_int == 303
    browser.send("/settings/email", email=f"new.{EMAIL}", current_password=PASSWORD)
    assert browser.send("/password/forgotten", email=EMAIL).status_int < 400
    zoe.post("/users/me/export")
    for person in (zoe, bob):
        key = {"Idempotency-Key": f"key of {person.login}"}
        said = {"body": f"I and @{LOGIN}"}
        person.call("POST", f"/topics/{topic}/replies", said, headers=key)
    chief = forum.person("chief", role="admin", scope="read write moderate admin")
    asked = {"url": "https://hooks.example.org/", "events": "reply.created,user.silenced"}
    assert chief.post("/webhooks", **asked).status_int == 201
    assert chief.post(f"/users/{LOGIN}/silence", reason="Rude", note=ADDRESS).status_int == 200
    registry = forum.application.registry
    registry.job_runner.run_due(JobKind.EXPORT)
    wait_for_horizon(forum.database)
    for consumer in create_consumers(forum.database):
        while consumer.run():
            pass
    report_host(registry, Path())


def columns_with(forum: Forum, user_id: int) -> set[str]:
    """Return the columns that refer to users in which the id of one is found."""
    keys = [key for table in User.metadata.sorted_tables for key in table.foreign_keys]
    columns = [key.parent for key in keys if key.column.table.name == "users"]
    with forum.database.reads.connect() as db:
        return {
            str(one) for one in columns if db.scalars(select(one).where(one == user_id)).first()
        }


@pytest.mark.parametrize("posts", PostsErasure)
def test_nothing_is_left_that_names_the_person(forum, zoe, bob, traces, tmp_path, posts, caplog):
    connect_from_their_address(forum, zoe, bob, traces["other"])
    work(forum)
    there = {"favorites.user_id", "topic_follows.user_id", "node_mutes.user_id", "devices.user_id"}
    assert there <= columns_with(forum, zoe.id) - KEPT
    named = found(forum, LOGIN, NAME, EMAIL, ADDRESS)
    assert {"users", "jobs", "restrictions", "idempotency_keys", "replies"} <= {
        table for table, _ in named
    }
    caplog.clear()
    caplog.set_level(logging.DEBUG, "forumsvc")
    erase(forum, zoe, posts)
    assert [
        line for line in caplog.messages if re.search(rf"{LOGIN}|{EMAIL}|{ADDRESS}", line)
    ] == []
    do_periodic_work(forum)
    left = found(forum, LOGIN, NAME, EMAIL, ADDRESS)
    assert {one for one in left if f"{LOGIN}x".lower() not in one[1].lower()} == set()
    assert [each for each in (tmp_path / "photos").rglob("*") if each.is_file()] == []
    assert account_jobs(forum) == 0
    assert drift(forum.database) == []
    assert columns_with(forum, zoe.id) <= KEPT


def test_a_network_from_which_a_post_came_in_behind_the_order_goes_too(forum, zoe):
    order(forum, zoe)
    with forum.database.session.begin() as db:
        insert_row(db, PostNetwork, user_id=zoe.id, network="n", last_post_at=clock.now())
    work(forum)
    assert forum.count(PostNetwork) == 0


@on_sqlite
def test_no_page_in_use_of_the_file_has_a_word_of_the_person(forum, zoe, traces, tmp_path):
    def pages() -> bytes:
        (tmp_path / "copy").unlink(missing_ok=True)
        with closing(sqlite3.connect(str(forum.database.url.database))) as connection:
            connection.execute(f"VACUUM INTO '{tmp_path}/copy'")
        return (tmp_path / "copy").read_bytes().lower()

    work(forum)
    left = pages().replace(f"{LOGIN}x".lower().encode(), b"").count(LOGIN.lower().encode())
    assert left > 0
    erase(forum, zoe)
    left = pages().replace(f"{LOGIN}x".lower().encode(), b"").count(LOGIN.lower().encode())
    assert left == 0


@pytest.mark.parametrize("posts", PostsErasure)
def test_topics_of_the_person_and_of_others_still_answer(forum, zoe, bob, traces, posts):
    erase(forum, zoe, posts)
    with forum.database.reads.connect() as db:
        body = db.scalars(select(Topic.body).where(Topic.id == traces["own"])).one()
    expected = {"keep": "My text", "blank": erasure.REMOVED, "delete": ""}
    assert body == expected[posts]
    answers = [bob.get(f"/topics/{traces[whose]}{end}") for whose, end in PAGES]
    own = 404 if posts is PostsErasure.DELETE else 200
    assert [one.status_int for one in answers] == [own, own, 200, 200]
    assert bob.get("/topics").status_int == 200


@pytest.mark.parametrize("posts", [PostsErasure.KEEP, PostsErasure.BLANK])
def test_texts_of_others_keep_all_but_the_login(forum, zoe, traces, posts):
    erase(forum, zoe, posts)
    new = f"deleted-{zoe.id}"
    shown = content(forum.nobody.get(f"/replies/{traces['mention']}"))
    assert shown["body"] == f"@{new} wrote `@{new}` [here]({SITE}/{new}), @{new}."
    assert "user-mention" not in shown["body_html"]


@pytest.mark.parametrize("posts", [PostsErasure.BLANK, PostsErasure.DELETE])
def test_a_title_is_gone_from_what_moderators_told_others(forum, zoe, bob, node, posts):
    chief = forum.person("chief", role="maintainer", scope="read write moderate")
    carol = forum.person("carol")
    for author, title in ((zoe, "Her secret"), (bob, "His secret")):
        report(carol, "topic", forum.topic(author, node, title=title))
        [review] = chief.get("/reviews").json
        chief.post(f"/reviews/{review['id']}/resolve", decision="hide")
    assert {table for table, _ in found(forum, "Her secret")} >= {"notifications", "topics"}
    erase(forum, zoe, posts)
    left = {table for table, _ in found(forum, "Her secret")}
    assert left & {"notifications", "topics"} == set()
    assert found(forum, "His secret")


@pytest.mark.parametrize("posts", [PostsErasure.BLANK, PostsErasure.DELETE])
def test_a_post_that_is_shown_again_during_an_erasure_does_not_escape_it(
    forum, zoe, traces, monkeypatch, posts
):
    reply, part = traces["reply"], account_worker.AccountWorker._part
    zoe.delete(f"/replies/{reply}")

    def shown_after(self: Any, job: Any, account: Any, step: Any, data: dict[str, Any]) -> Any:
        done = part(self, job, account, step, data)
        if data["step"] == "visible replies":
            with forum.database.session.begin() as db:
                shown = update(Reply).where(Reply.id == reply).values(deleted_at=None)
                db.execute(shown.execution_options(synchronize_session=False))
        return done

    monkeypatch.setattr(account_worker.AccountWorker, "_part", shown_after)
    erase(forum, zoe, posts)
    assert found(forum, "My reply") == set()


def test_an_erasure_goes_on_where_a_killed_worker_was(forum, zoe, traces, monkeypatch):
    order(forum, zoe, PostsErasure.BLANK)
    save_progress, left = jobs.save_progress, iter(range(1000))

    def killed(*given: Any, **named: Any) -> None:
        save_progress(*given, **named)
        if next(left) % 3 == 2:
            raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(jobs, "save_progress", killed)
        for _ in range(50):
            with forum.database.session.begin() as db:
                db.execute(text("UPDATE jobs SET locked_until = NULL"))
            try:
                worker(forum).run_due(JobKind.ACCOUNT)
            except SystemExit:
                continue
    work(forum)
    assert account_jobs(forum) == 0
    left_over = found(forum, NAME, EMAIL, f"@{LOGIN} ")
    assert left_over == set()
    assert drift(forum.database) == []
    with forum.database.reads.connect() as reads:
        told = select(Event.id).where(Event.reply_id == traces["reply"])
        assert len(reads.scalars(told.where(Event.type == "reply.updated")).all()) == 1


def test_a_reason_that_an_old_block_was_given_later_names_the_person_no_more(forum, zoe):
    chief = forum.person("chief", role="admin", scope="read write admin")
    block = {"kind": "email_domain", "value": "bad.example", "severity": "sign_up"}
    assert chief.post("/access_blocks", **block, reason="Spam").status_int == 201
    with forum.database.session.begin() as db:
        db.execute(update(AccessBlock).values(created_at=clock.now() - timedelta(days=400)))
    again = chief.post("/access_blocks", **block, reason=f"Of @{LOGIN}")
    assert again.status_int == 200
    erase(forum, zoe)
    assert chief.get("/access_blocks").json[0]["reason"] == f"Of @deleted-{zoe.id}"


def test_a_silenced_person_bars_no_address_that_they_have_not_confirmed(forum, zoe):
    stranger = "stranger@company.example"
    forum.change(zoe.id, state="blocked", blocked_at=clock.now(), unconfirmed_email=stranger)
    forum.change(zoe.id, email_confirmed_at=None)
    order(forum, zoe)
    with forum.database.reads.connect() as reads:
        assert reads.scalars(select(AccessBlock.value)).all() == []
    signed_up = forum.nobody.post("/users", login="new", password="tangled-77", email=stranger)
    assert signed_up.status_int == 201


def test_an_erasure_whose_step_another_release_has_named_otherwise_begins_anew(forum, zoe, traces):
    order(forum, zoe)
    with forum.database.session.begin() as db:
        job = db.scalars(select(Job).where(Job.kind == JobKind.ACCOUNT)).one()
        job.data = {**job.data, "step": "a step of yesterday", "last_id": 10**9}
    work(forum)
    assert account_jobs(forum) == 0
    assert f"@{LOGIN}" not in content(forum.nobody.get(f"/replies/{traces['mention']}"))["body"]


def test_an_erased_reporter_gets_no_notification(forum, zoe, traces):
    erase(forum, zoe)
    chief = forum.person("chief", role="maintainer", scope="read write moderate")
    for review in chief.get("/reviews").json:
        chief.post(f"/reviews/{review['id']}/resolve", decision="dismiss")
    with forum.database.reads.connect() as reads:
        of_zoe = select(Notification.id).where(Notification.user_id == zoe.id)
        assert reads.scalars(of_zoe).all() == []
        assert reads.scalar(select(User.unread_count).where(User.id == zoe.id)) == 0


def test_the_login_is_free_and_a_block_of_the_person_outlives_the_erasure(forum, zoe):
    secret = forum.application.registry.forum_settings["session.secret"]
    forum.change(zoe.id, state="blocked", blocked_at=clock.now())
    order(forum, zoe)
    again = {"login": LOGIN, "password": "tangled-wire-77"}
    refused = forum.nobody.post("/users", email=EMAIL.upper(), **again)
    assert (refused.status_int, "sign up" in refused.json["error"]) == (400, True)
    assert forum.nobody.post("/users", email="other@mailhost.example", **again).status_int == 201
    with forum.database.reads.connect() as reads:
        assert reads.scalars(select(AccessBlock.value)).all() == [email_digest(secret, EMAIL)]
        erased = AuditRecord.action == "user.erased"
        details = reads.scalars(select(AuditRecord.details).where(erased)).one()
    assert email_digest(secret, EMAIL) in (details or "")


def test_the_last_admin_is_not_erased(forum):
    chief = forum.person("chief", role="admin")
    with pytest.raises(Conflict):
        order(forum, chief)
    with forum.database.reads.connect() as db:
        assert db.scalars(select(User.login).where(User.id == chief.id)).one() == "chief"


def test_few_rows_change_in_each_transaction(forum, zoe, node):
    topic = forum.topic(zoe, node)
    for _ in range(60):
        forum.reply(zoe, topic)
    order(forum, zoe, PostsErasure.BLANK)
    with forum.database.reads.connect() as db:
        before = db.scalar(select(Event.id).order_by(Event.id.desc()).limit(1)) or 0
    work(forum)
    with forum.database.reads.connect() as db:
        assert set(db.scalars(select(Reply.body))) == {str(erasure.REMOVED)}
        told = select(Event.created_at).where(Event.id > before, Event.type == "reply.updated")
        by_transaction = db.scalars(told).all()
    assert len(by_transaction) == 60
    assert max(by_transaction.count(each) for each in by_transaction) <= 20


def test_favorites_of_hidden_topics_are_not_subtracted_on_the_way(
    forum, zoe, bob, node, monkeypatch
):
    favorites = STEPS[PostsErasure.KEEP]["favorites.user_id"]
    one_by_one = favorites._replace(size=1)
    monkeypatch.setitem(STEPS[PostsErasure.KEEP], "favorites.user_id", one_by_one)
    for topic in (hidden := forum.topic(bob, node), forum.topic(bob, node)):
        zoe.post(f"/topics/{topic}/favorite")
    bob.delete(f"/topics/{hidden}")
    save_progress, wrong = jobs.save_progress, []

    def compared(*given: Any, **named: Any) -> None:
        wrong.extend(drift(forum.database))
        save_progress(*given, **named)

    monkeypatch.setattr(jobs, "save_progress", compared)
    erase(forum, zoe)
    assert wrong == drift(forum.database) == []


def test_two_erasures_take_turns(forum, zoe, traces, monkeypatch):
    run, turns = account_worker.AccountWorker.run, []

    def counted(self: Any, job: Any) -> None:
        turns.append(int(job.key))
        run(self, job)

    monkeypatch.setattr(account_worker.AccountWorker, "run", counted)
    monkeypatch.setattr(account_worker, "_TURN_SECONDS", 0.001)
    people = [zoe, forum.person("yve")]
    for person in people:
        order(forum, person)
    work(forum)
    assert turns[:4] == [person.id for person in people] * 2


def test_a_new_login_changes_the_links_of_mentions_and_no_text(forum, zoe, traces):
    before = content(forum.nobody.get(f"/replies/{traces['mention']}"))
    rename(forum, LOGIN, "Zora")
    after = content(forum.nobody.get(f"/replies/{traces['mention']}"))
    assert after["body"] == before["body"]
    link = f'<a href="/{LOGIN}" class="user-mention">@{LOGIN}</a>'
    assert link in before["body_html"]
    assert after["body_html"] == before["body_html"].replace(f'"/{LOGIN}"', '"/Zora"')


def test_mentions_lead_to_who_was_meant_after_any_number_of_new_logins(forum, bob, node):
    forum.person("ivy")
    text = "Ask @ivy, she knows"
    topic = forum.topic(bob, node, body=text)
    for login, new in (("ivy", "ivy2"), ("ivy2", "ivy3")):
        rename(forum, login, new)
    strangers = [forum.person(login) for login in ("ivy", "ivy2")]
    link = '<a href="/ivy3" class="user-mention">@ivy</a>'
    assert link in bob.get(f"/topics/{topic}").json["body_html"]
    # An edit, a new version of the renderer and the end of a stranger change nothing of it.
    bob.put(f"/topics/{topic}", title="Ivy", node_id=node, body=f"{text} all")
    with forum.database.session.begin() as db:
        db.execute(update(Topic).values(markup_version=1))
    authoring = forum.application.registry.authoring
    Rerendering(forum.database, authoring, 1).run()
    for stranger in strangers:
        assert stranger.get("/notifications").json == []
        erase(forum, stranger)
    after = bob.get(f"/topics/{topic}").json
    assert (after["body"], link in after["body_html"]) == (f"{text} all", True)
    order(forum, bob)  # the author; nothing is left of who was renamed but the link
    assert link in forum.nobody.get(f"/topics/{topic}").json["body_html"]


@pytest.mark.parametrize("way", ["edited", "rendered", "read"])
def test_mentions_lead_to_who_was_meant_if_a_text_is_written_before_its_links_are_renamed(
    forum, bob, node, monkeypatch, way
):
    """way: what happens to the text between the renaming and the job that changes the link."""
    forum.person("ivy")
    topic = forum.topic(bob, node, body="Ask @ivy")
    with forum.database.session.begin() as db:
        db.execute(update(Topic).values(markup_version=1))
        admin_edit.edit(db, clock.now(), "ivy", new_login="ivy2")
    rendering = Rerendering(forum.database, forum.application.registry.authoring, 1)
    if way == "edited":
        bob.put(f"/topics/{topic}", title="Ivy", node_id=node, body="Ask @ivy now")
    elif way == "rendered":
        rendering.run()
    else:
        render = Rerendering._render

        def work_and_render(self: Rerendering, row: Any) -> Any:
            work(forum)
            return render(self, row)

        monkeypatch.setattr(Rerendering, "_render", work_and_render)
        assert rendering.run().skipped == 1
    work(forum)
    shown = bob.get(f"/topics/{topic}").json["body_html"]
    assert '<a href="/ivy2" class="user-mention">@ivy</a>' in shown


def test_an_erasure_finds_the_mentions_by_former_logins(forum, bob, node):
    henry = forum.person("henry")
    text = "# For @henry\n\n> **@henry** said\n\n[@henry](/henry), [x][1]\n\n[1]: /henry"
    former = forum.topic(bob, node, body=text)
    decorator = forum.topic(bob, node, body="`@henry` is a decorator")
    rename(forum, "henry", "harry")
    present = forum.topic(bob, node, body=text.replace("henry", "harry"))
    picture = forum.topic(bob, node, body="![a](/avatars/harry.svg) [b](/harry)")
    erase(forum, henry)
    [shown, now, pictures, code] = [
        bob.get(f"/topics/{one}").json for one in (former, present, picture, decorator)
    ]
    deleted = f"deleted-{henry.id}"
    assert shown["body"].startswith(f"# For @{deleted}\n\n> **@{deleted}** said\n\n[@{deleted}]")
    assert not re.search("@henry|harry|user-mention|about-henry", shown["body_html"])
    for one in (now, pictures):
        assert not re.search("henry|harry|user-mention", one["body"] + one["body_html"])
    assert "@henry" in code["body"]


def test_who_takes_a_word_for_a_login_changes_no_code_and_no_address_of_others(forum, bob, node):
    text = "@override is Java, help@forum.example is ours:\n\n    @override\n    def run"
    before = forum.topic(bob, node, "Before @override", text)
    taker = forum.person("override")
    forum.change(taker.id, email="help@forum.example", email_key="help@forum.example")
    code = forum.topic(bob, node, "Code", "help@forum.example says\n\n    @override")
    mention = forum.topic(bob, node, "Mention", "Ask @override")
    shown = {one: bob.get(f"/topics/{one}").json for one in (before, code)}
    erase(forum, taker)
    for one, topic in shown.items():
        now = bob.get(f"/topics/{one}").json
        assert {key: now[key] for key in ("title", "body", "body_html")} == {
            key: topic[key] for key in ("title", "body", "body_html")
        }
    assert "override" not in bob.get(f"/topics/{mention}").json["body_html"]


@on_postgresql
@pytest.mark.parametrize("way", ["erasure", "deletion", "edit", "new address"])
def test_a_change_of_the_account_waits_for_what_the_person_is_writing_without_a_deadlock(
    forum, zoe, node, way
):
    topic = forum.topic(zoe, node)
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    is_written = threading.Event()

    def state() -> Any:
        with forum.database.reads.connect() as db:
            columns = User.state, User.login, User.email
            return db.execute(select(*columns).where(User.id == zoe.id)).one()

    def write() -> None:
        with forum.database.session.begin() as db, forum.database.reads.connect() as watch:
            insert_row(db, Favorite, user_id=zoe.id, topic_id=topic)
            is_written.set()
            wait_until(lambda: watch.scalar(waiting), "the other waits")
            db.execute(update(User).where(User.id == zoe.id).values(favorites_count=1))

    def change() -> None:
        assert is_written.wait(30)
        with forum.database.session.begin() as db:
            if way == "erasure":
                erasure.erase_user(
                    db, None, clock.now(), zoe.id, posts=PostsErasure.KEEP, secret="s"
                )
            elif way == "deletion":
                accounts.delete(db, LOGIN)
            elif way == "edit":
                admin_edit.edit(db, clock.now(), LOGIN, new_login="Zora")
            else:
                email_confirmation.change_as_admin(db, zoe.id, "z@new.example", clock.now())

    before = state()
    together([write, change])
    assert state() != before
