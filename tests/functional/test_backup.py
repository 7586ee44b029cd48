"""Backups: what is made is whole, and what is not whole is refused and changes nothing."""

import errno
import fcntl
import gzip
import hashlib
import io
import json
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, cast

import pytest
from sqlalchemy import delete, select, text

from forumsvc import migrate
from forumsvc.clock import now
from forumsvc.db.engine import Database
from forumsvc.dump import (
    Archive,
    DumpError,
    Made,
    backup_folder,
    load_dump,
    make_backup,
    restore_backup,
    verify_backup,
    write_tar,
)
from forumsvc.dump.manifest import parse_manifest
from forumsvc.media.local_storage import LocalStorage
from forumsvc.models import (
    AuditRecord,
    BrowserSession,
    Job,
    OAuthClient,
    OAuthCode,
    OAuthToken,
    Photo,
    User,
)
from forumsvc.services import deployment
from forumsvc.services.photos.storage import PhotoStorages
from forumsvc.services.posts import counters
from tests import databases
from tests.cases import each
from tests.functional.cli.community import Community
from tests.functional.rows import insert_row
from tests.functional.test_dump import rows

AVATAR, FIRST, SECOND = b"an avatar", b"a photo", b"another photo"
NOT_OF_A_COPY = {"browser_sessions", "oauth_tokens", "oauth_codes"}


def name_of(content: bytes) -> str:
    digest = hashlib.sha256(content).hexdigest()
    return f"{digest[:2]}/{digest}.png"


class Home:
    """A forum with three photo files and a folder of backups."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database, self.folder = database, folder
        self.backups = folder / "backups"
        self.backups.mkdir(parents=True)
        self.storage = LocalStorage(folder / "photos")
        self.storages = PhotoStorages("local", {"local": self.storage})

    def fill(self) -> None:
        with self.database.session.begin() as db:
            ids = Community(db).ids
            author = db.get_one(User, ids["ann"])
            author.avatar, author.password_hash = name_of(AVATAR), "a hash"
            for content in (FIRST, SECOND):
                name = name_of(content)
                values = {"user_id": ids["ann"], "name": name, "digest": name[3:67], "width": 1}
                kind = {"media_type": "image/png", "storage": "local", "size": len(content)}
                insert_row(db, Photo, **values, **kind, height=1)
            session = {"user_id": ids["ann"], "created_at": now(), "expires_at": now()}
            insert_row(db, BrowserSession, secret_hash="h" * 64, **session)
            client = {"client_id": "app", "name": "App", "grants": "", "scopes": "read"}
            of_client = {"client_id": insert_row(db, OAuthClient, **client), "user_id": ids["ann"]}
            granted = {**of_client, "family": "f", "scope": "read"}
            insert_row(db, OAuthCode, code_hash="h" * 64, expires_at=now(), **granted)
            insert_row(db, OAuthToken, access_hash="h" * 64, access_expires_at=now(), **granted)
            db.add(Job(kind="backup", due_at=now(), created_at=now(), data={}))
            insert_row(db, AuditRecord, action="topic.ban", visibility="admin", via="cli")
            counters.fix(db)
        for content in (AVATAR, FIRST, SECOND):
            self.storage.put(name_of(content), io.BytesIO(content), "image/png")

    def make(
        self, name: str = "b-1.tar", *, keep: int | None = None, photos: bool = True
    ) -> tuple[Path, Made]:
        path, site = self.backups / name, "https://a.example"
        storages = self.storages if photos else None
        made = make_backup(self.database, storages, path, site_url=site, keep=keep, verify=True)
        return path, made

    def restore(self, path: Path, *, replace: bool = False, keep_sessions: bool = False) -> None:
        restore_backup(
            self.database, self.storages, path, replace=replace, keep_sessions=keep_sessions
        )

    def names(self) -> list[str]:
        return sorted(one.name for one in self.backups.iterdir() if one.name[0] != ".")


@pytest.fixture
def home(database: Database, tmp_path: Path) -> Home:
    made = Home(database, tmp_path / "home")
    made.fill()
    return made


Other = Callable[[], Home]


@pytest.fixture(params=databases.KINDS)
def other(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    worker_id: str,
) -> Iterator[Home]:
    """Another, empty forum."""
    name = f"backup_{abs(hash(request.node.nodeid))}"
    url = databases.new_url(request.param, name, tmp_path_factory, worker_id)
    with databases.open_temporarily(url) as opened:
        yield Home(opened, tmp_path / "other")


def without_copy(database: Database) -> dict[str, list[str]]:
    found = rows(database)
    return {name: found[name] for name in found if name not in {*NOT_OF_A_COPY, "jobs"}}


@pytest.mark.both_databases
def test_a_second_backup_has_what_is_there_then_and_only_so_many_stay(home):
    home.make("b-1.tar")
    (home.backups / "b-0.tar").write_bytes(b"somebody else's")
    write_tar(home.database, home.backups / "b-00.tar", secrets=True)
    with home.database.session.begin() as db:
        db.execute(delete(Photo).where(Photo.name == name_of(FIRST)))
    home.storage.delete(name_of(FIRST))
    path, made = home.make("b-2.tar", keep=1)
    assert home.names() == ["b-0.tar", "b-00.tar", "b-2.tar"]
    assert made.manifest.photos is not None
    assert (made.manifest.photos.files, made.manifest.photos.missing) == (2, ())
    assert path.stat().st_mode & 0o777 == 0o600
    with tarfile.open(path) as tar:
        assert f"photos/{name_of(FIRST)}" not in tar.getnames()
    with pytest.raises(DumpError, match="is there already"):
        home.make("b-2.tar")


def test_photos_that_vanish_meanwhile_are_named_and_lost_ones_told_apart(home, monkeypatch):
    open_ = home.storage.open

    def vanish(name: str) -> object:
        if name == name_of(FIRST):
            home.storage.delete(name)
            with home.database.session.begin() as db:
                db.execute(delete(Photo).where(Photo.name == name))
        return open_(name)

    monkeypatch.setattr(home.storage, "open", vanish)
    (home.folder / "photos" / name_of(SECOND)).write_bytes(b"other bytes")
    _, made = home.make()
    assert made.manifest.photos is not None
    assert made.manifest.photos.missing == tuple(sorted(map(name_of, (FIRST, SECOND))))
    assert made.lost == [name_of(SECOND)]


def test_where_no_photo_has_a_file_the_backup_fails(home):
    home.storages = PhotoStorages("local", {"local": LocalStorage(home.folder / "wrong")})
    with pytest.raises(DumpError, match=r"photos\.\*"):
        home.make()
    assert home.names() == []


def test_of_two_at_once_one_is_refused_and_what_a_killed_one_left_is_removed(home):
    (home.backups / "b-7.tar.part").write_bytes(b"half")
    with open(home.backups / ".forumsvc-backup.lock", "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(DumpError, match="Another backup"):
            home.make()
    home.make()
    assert home.names() == ["b-1.tar"]


def test_a_lock_of_another_user_is_named(home, monkeypatch):
    def refuse(path: str, flags: int) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(backup_folder, "open_private", refuse)
    with pytest.raises(DumpError, match=r"backups/\.forumsvc-backup\.lock cannot be opened"):
        home.make()


@pytest.mark.both_databases
def test_a_backup_is_restored_into_both_kinds_of_database(home, other):
    path, _ = home.make()
    other.restore(path)
    assert without_copy(other.database) == without_copy(home.database)
    for content in (AVATAR, FIRST, SECOND):
        with other.storage.open(name_of(content)) as file:
            assert file.read() == content
    with other.database.session.begin() as db:
        assert [one for one in counters.check(db) if one.wrong] == []
        for model in (BrowserSession, OAuthCode, OAuthToken):
            assert db.scalars(select(model.id)).all() == []
        assert db.scalars(select(Job.id).where(Job.kind == "backup")).all() == []
        assert not deployment.may_send(db, "https://a.example")
    back, _ = other.make()
    home.restore(back, replace=True)
    assert without_copy(home.database) == without_copy(other.database)
    with pytest.raises(DumpError, match="empty it"):
        home.restore(back)


@pytest.mark.both_databases
def test_replace_deletes_all_that_was_there_and_the_log_is_guarded_again(home):
    path, _ = home.make(photos=False)
    before = rows(home.database)
    with home.database.session.begin() as db:
        author = insert_row(db, User, login="later")
        insert_row(db, AuditRecord, action="topic.ban", visibility="admin", via="cli")
        db.execute(text(f"UPDATE topics SET user_id = {author}"))  # noqa: S608 - a number
    home.restore(path, replace=True, keep_sessions=True)
    after = rows(home.database)
    assert after | {"jobs": []} == before | {"jobs": []}
    with pytest.raises(Exception, match="audit log"), home.database.session.begin() as db:
        db.execute(text("DELETE FROM audit_log"))


def test_a_flipped_byte_and_a_cut_file_are_refused_and_nothing_is_changed(home, tmp_path):
    path, made = home.make()
    whole = path.read_bytes()
    damaged = tmp_path / "damaged.tar"
    url = f"sqlite:///{tmp_path}/new.sqlite"
    step = len(whole) // 100
    with databases.open_temporarily(url) as fresh:
        target = Home(fresh, tmp_path / "fresh")
        for place in range(0, len(whole), step):
            damaged.write_bytes(whole[:place])
            with pytest.raises(DumpError):
                target.restore(damaged)
            flipped = bytearray(whole)
            flipped[place] ^= 4
            damaged.write_bytes(flipped)
            try:
                verified = verify_backup(damaged, target.backups)
            except DumpError:
                with pytest.raises(DumpError):
                    target.restore(damaged)
            else:  # a byte that only fills a block
                assert verified.manifest == made.manifest
            for left in target.backups.iterdir():
                left.rename(tmp_path / f"{place}-{left.name}")
    assert not (tmp_path / "new.sqlite").exists()


def irregular(name: str, kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, "/etc/passwd"
    return info


USERS, PHOTO = "users.ndjson.gz", f"photos/{name_of(FIRST)}"


@each(
    ("replaced", "further", "reason"),
    [
        ({PHOTO: None}, [], "The photo files in the dump are not those that the rows name"),
        ({PHOTO: SECOND}, [], f"{PHOTO} is damaged: its SHA-256 is not that of its name"),
        ({}, [tarfile.TarInfo(PHOTO)], f"{PHOTO} is in the dump twice, or no row names it"),
        ({f"photos/{name_of(b'x')}": b"x"}, [], "is in the dump twice, or no row names it"),
        ({"photos/../../x.png": b"x"}, [], "an unknown member: 'photos/../../x.png'"),
        ({"../../x": b"x"}, [], "The dump has an unknown member: '../../x'"),
        ({}, [tarfile.TarInfo(USERS)], f"The dump has a member twice: {USERS!r}"),
        ({}, [irregular("x", tarfile.SYMTYPE)], "'x' in the dump is no ordinary file"),
        ({}, [irregular("/dev/x", tarfile.FIFOTYPE)], "'/dev/x' in the dump is no ordinary file"),
        ({USERS: None}, [], f"The dump has no {USERS}"),
        ({USERS: b"x"}, [], f"{USERS} is damaged: its SHA-256 is not that of the manifest"),
        ({"manifest.json": None}, [], "is no dump, or its end is missing: it has no manifest.json"),
    ],
)
def test_a_backup_with_wrong_members_is_refused(replaced, further, reason, home):
    name = f"b-{len(home.names())}.tar"
    path, _ = home.make(name)
    members = {name: one for name, one in (members_of(path) | replaced).items() if one is not None}
    write_members(path, members, *further)
    with pytest.raises(DumpError, match=re.escape(reason)) as refused:
        verify_backup(path, home.backups)
    assert len(str(refused.value).splitlines()) == 1
    with pytest.raises(DumpError, match=re.escape(reason)):
        home.restore(path, replace=True)


def test_a_backup_is_a_dump_and_one_without_secrets_is_no_backup(home, tmp_path):
    path, made = home.make()
    with databases.open_temporarily(f"sqlite:///{tmp_path}/new.sqlite") as fresh:
        load_dump(fresh, Archive(path), trust_html=True)
        assert rows(fresh) == rows(home.database)
    write_tar(home.database, tmp_path / "content.tar", secrets=False)
    assert Archive(path).manifest == made.manifest
    with pytest.raises(DumpError, match="a dump without secrets: use forumsvc load"):
        home.restore(tmp_path / "content.tar", replace=True)


def of_revision(path: Path, revision: str) -> Path:
    """Return a copy of a backup that an older forumsvc made: without the biographies of users."""
    found = members_of(path)
    users = found["users.ndjson.gz"] = without_bio(found["users.ndjson.gz"])
    tables = json.loads(found["manifest.json"])["tables"]
    tables["users"]["sha256"] = hashlib.sha256(users).hexdigest()
    manifest = changed(found["manifest.json"], revision=revision, tables=tables)
    return write_members(path.with_name("older.tar"), found | {"manifest.json": manifest})


def members_of(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as tar:
        return {info.name: cast(IO[bytes], tar.extractfile(info)).read() for info in tar}


def write_members(path: Path, members: Mapping[str, bytes], *further: tarfile.TarInfo) -> Path:
    """Write a tar of these members, and of further ones without content."""
    with tarfile.open(path, "w") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        for info in further:
            tar.addfile(info)
    return path


def without_bio(packed: bytes) -> bytes:
    found = [json.loads(line) for line in gzip.decompress(packed).splitlines()]
    lines = (json.dumps({key: row[key] for key in row if key != "bio"}) for row in found)
    return gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0)


def test_a_backup_of_an_older_revision_is_restored_and_upgraded(home):
    path, _ = home.make(photos=False)
    home.restore(of_revision(path, "0004"), replace=True)
    with home.database.reads.connect() as db:
        assert db.scalar(select(User.bio).where(User.login == "ann")) == ""
    assert migrate.current(home.database.reads) == migrate.head()


def changed(manifest: bytes, **values: object) -> bytes:
    """Return a manifest with other values and the right digest."""
    found = {key: one for key, one in json.loads(manifest).items() if key != "sha256"} | values
    digest = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
    return json.dumps({**found, "sha256": digest}).encode()


@each("values", [{"revision": "9999"}, {"format_version": 2}])
def test_a_backup_of_a_newer_forumsvc_is_refused(values, home):
    path, made = home.make(f"{next(iter(values))}.tar", photos=False)
    newer = changed(made.manifest.to_json(), **values)
    with pytest.raises(DumpError, match="newer forumsvc"):
        parse_manifest(newer)
    with pytest.raises(DumpError, match=r"manifest\.json is damaged"):
        parse_manifest(made.manifest.to_json().replace(b"//a.example", b"//b.example"))
    assert parse_manifest(changed(made.manifest.to_json(), revision="0004")).revision == "0004"
    path.unlink()
