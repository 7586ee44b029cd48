"""Nothing makes a text longer than its limit, and whatever was done, a backup is whole."""

from collections.abc import Callable

import pytest
from sqlalchemy import update

from forumsvc import clock
from forumsvc.background.account_worker import AccountWorker
from forumsvc.background.job_runner import JobRunner
from forumsvc.dump import Archive, load_dump, make_backup, write_dump
from forumsvc.models import PROFILE_TEXTS, JobKind, Node, TextKind
from forumsvc.services.accounts import admin_edit
from forumsvc.services.accounts.erasure.erasure import PostsErasure, erase_user
from forumsvc.services.posts import purge
from forumsvc.settings import Settings
from tests import databases
from tests.functional.forum import Forum, Person
from tests.functional.test_reports import report

pytestmark = pytest.mark.both_databases

BODY, TITLE, REASON, SUMMARY = 65_536, 255, 500, 65_536


def full(length: int, end: str = " @bo") -> str:
    return "x" * (length - len(end)) + end


@pytest.fixture
def settings(forum: Forum) -> Settings:
    found: Settings = forum.registry.forum_settings
    return found


def erase(posts: PostsErasure) -> Callable[[Forum, Person, Person], None]:
    def effect(forum: Forum, bo: Person, chief: Person) -> None:
        with forum.database.session.begin() as db:
            secret = forum.registry.forum_settings["session.secret"]
            erase_user(db, None, clock.now(), bo.id, posts=posts, secret=secret)

    return effect


def rename(forum: Forum, bo: Person, chief: Person) -> None:
    with forum.database.session.begin() as db:
        admin_edit.edit(db, clock.now(), "bo", new_login="a_longer_name_of_bo")


def moderate(forum: Forum, bo: Person, chief: Person) -> None:
    assert chief.post("/users/bo/silence", reason=full(REASON)).status_int == 200
    for topic in chief.get("/topics").json:
        path = f"/topics/{topic['id']}/action"
        assert chief.post(path, type="ban", reason=full(REASON)).status_int == 200
    for review in chief.get("/reviews").json:
        done = chief.post(f"/reviews/{review['id']}/resolve", decision="hide", reason=full(REASON))
        assert done.status_int == 200


def delete_and_purge(forum: Forum, bo: Person, chief: Person) -> None:
    for topic in chief.get("/topics").json:
        assert chief.delete(f"/topics/{topic['id']}").status_int == 200
    with forum.database.session.begin() as db:
        purge.purge_some(db, clock.now())


EFFECTS = {
    **{f"erase, {posts}": erase(posts) for posts in PostsErasure},
    "rename": rename,
    "moderate": moderate,
    "delete and purge": delete_and_purge,
}


@pytest.mark.parametrize("effect", EFFECTS)
def test_no_effect_makes_a_text_too_long_for_a_backup(forum, node, settings, tmp_path, effect):
    bo, ann = forum.person("bo"), forum.person("ann")
    chief = forum.person("chief", role="admin", scope="read write moderate admin")
    texts = {text.name: full(text.max_length) for text in PROFILE_TEXTS}
    url = next(text for text in PROFILE_TEXTS if text.kind is TextKind.URL)
    texts[url.name] = "https://x.example/" + full(url.max_length - 18, "!@bo")
    assert ann.put("/users/ann", name=full(100), **texts).status_int == 200
    with forum.database.session.begin() as db:
        db.execute(update(Node).values(summary=full(SUMMARY)))
    for author in (ann, bo):
        topic = forum.topic(author, node, title=full(TITLE), body=full(BODY))
        forum.reply(author, topic, full(BODY))
        report(bo if author is ann else ann, "topic", topic, comment=full(REASON))
    EFFECTS[effect](forum, bo, chief)
    worker = AccountWorker(forum.database, forum.registry.photo_storages, settings)
    JobRunner(forum.database, [worker], 1.0).run_due(JobKind.ACCOUNT)
    write_dump(forum.database, tmp_path / "dump", secrets=True)
    warnings: list[str] = []
    with databases.open_temporarily(f"sqlite:///{tmp_path}/new.sqlite") as fresh:
        load_dump(fresh, Archive(tmp_path / "dump"), trust_html=True, warn=warnings.append)
    assert warnings == []
    path, site = tmp_path / "a-1.tar", "https://a.example"
    made = make_backup(forum.database, None, path, site_url=site, keep=None, verify=True)
    assert made.verified
