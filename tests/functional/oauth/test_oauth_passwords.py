"""Passwords at POST /oauth/token: when they are checked, and in which spelling."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from sqlalchemy import event, select
from sqlalchemy.orm import Session

from forumsvc.models import User
from forumsvc.process import passwords
from forumsvc.process.passwords import hash_password, needs_rehash
from forumsvc.sessions import users
from forumsvc.text.unicode_forms import opaque_string
from tests.cases import each

from .application import PASSWORD
from .provider import OAuth


def stored_hash(oauth: OAuth) -> str:
    """Return the hash of Ann's password."""
    with oauth.forum.database.reads.connect() as connection:
        stored = connection.scalar(select(User.password_hash).where(User.id == oauth.ann))
    assert stored is not None
    return stored


def test_an_unknown_user_takes_a_check_too_and_a_wrong_grant_or_scope_none(oauth, monkeypatch):
    other = oauth.client("other", grants=("authorization_code",))
    checked: list[str | None] = []

    def verify(stored: str | None, password: str) -> bool:
        checked.append(stored)
        return False

    monkeypatch.setattr(users, "verify_password", verify)
    for username in ("ann", "nobody"):
        oauth.password(username=username)
    assert checked == [oauth.hash, None]
    assert oauth.password(other).json["error"] == "unauthorized_client"
    assert oauth.password(scope="admin").json["error"] == "invalid_scope"
    assert len(checked) == 2


@each("password", ["wrong", "wro\u0308ng", "wröng"])
def test_an_unknown_user_takes_as_many_hashes_as_a_known_one(oauth, monkeypatch, password):
    hashes: list[str] = []

    class Counted:
        def verify(self, stored: str, text: bytes) -> bool:
            hashes.append(stored)
            raise VerificationError

    monkeypatch.setattr(passwords, "_hasher", Counted())
    counts = []
    for username in ("ann", "nobody"):
        hashes.clear()
        oauth.password(username=username, password=password)
        counts.append(len(hashes))
    assert counts[0] == counts[1] == (1 if opaque_string(password) == password else 2)


def test_two_concurrent_logins_with_an_old_hash_both_succeed(oauth, monkeypatch):
    # The only hash that is checked under a lock: see PasswordAuthentication.is_still_valid.
    monkeypatch.setattr(passwords, "_run", passwords._run.__wrapped__)  # type: ignore[attr-defined]
    old = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1).hash(PASSWORD)
    oauth.forum.change(oauth.ann, password_hash=old)
    together, verify = Barrier(2, timeout=30), users.verify_password

    def verify_together(stored: str | None, password: str) -> bool:
        matches = verify(stored, password)
        together.wait()
        return matches

    both_hold_the_user, rehash = Barrier(2), users.rehash

    def rehash_together(db: Session, owner: users.LoginUser) -> None:
        # Two concurrent logins would deadlock here if both held a shared lock on the user.
        with suppress(BrokenBarrierError):
            both_hold_the_user.wait(0.5)
        rehash(db, owner)

    monkeypatch.setattr(users, "verify_password", verify_together)
    monkeypatch.setattr(users, "rehash", rehash_together)
    with ThreadPoolExecutor(2) as pool:
        issued = list(pool.map(lambda _: oauth.log_in(), range(2)))
    assert all(oauth.is_valid(one["access_token"]) for one in issued)
    assert not needs_rehash(stored_hash(oauth), PASSWORD)


NFC, NFD = "pässwört-lang", "pa\u0308sswo\u0308rt-lang"


@each(("new", "typed"), [(NFC, NFD), (NFD, NFC), ("a b c d e f", "a\u00a0b\u3000c d e\u2003f")])
def test_a_password_may_be_typed_on_another_keyboard(oauth, new, typed):
    oauth.forum.change(oauth.ann, password_hash=hash_password(new))
    for password in (new, typed):
        assert oauth.is_valid(oauth.log_in(password=password)["access_token"])
    for other in (typed.upper(), typed.replace("-", "－").replace("b", "ｂ"), f"{typed} "):
        assert oauth.password(password=other).json["error"] == "invalid_grant"


@each("typed", [NFD, "with\u00a0a blank", "a line\r\nbreak", "a\u0085control\u3000one"])
def test_a_hash_of_a_password_as_it_was_typed_goes_on_and_is_replaced_at_the_log_in(oauth, typed):
    oauth.forum.change(oauth.ann, password_hash=passwords._hasher.hash(typed.encode()))
    for _ in range(2):
        assert oauth.is_valid(oauth.log_in(password=typed)["access_token"])
    assert not needs_rehash(stored_hash(oauth), typed)
    passwords._hasher.verify(stored_hash(oauth), opaque_string(typed).encode())


def test_a_password_changed_during_the_check_issues_no_token(oauth, monkeypatch):
    def verify(stored: str | None, password: str) -> bool:
        oauth.forum.change(oauth.ann, password_hash=hash_password("another password"))
        return True

    monkeypatch.setattr(users, "verify_password", verify)
    assert oauth.password().json["error"] == "invalid_grant"
    assert oauth.count() == 0


def test_the_password_is_checked_before_the_transaction_begins(oauth, monkeypatch):
    order: list[str] = []

    def verify(stored: str | None, password: str) -> bool:
        order.append("checked")
        return True

    def begin(connection: Any) -> None:
        order.append("begun")

    monkeypatch.setattr(users, "verify_password", verify)
    writes = oauth.forum.registry.database.writes
    event.listen(writes, "begin", begin)
    try:
        oauth.log_in()
    finally:
        event.remove(writes, "begin", begin)
    assert order == ["checked", "begun"]
