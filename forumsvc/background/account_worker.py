"""Erases accounts, and updates the links to accounts that were renamed."""

import gettext
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import Any

from sqlalchemy import select

from .. import clock
from ..db.engine import Database
from ..db.execution import SqlConnection
from ..models import JobKind, User
from ..services import jobs
from ..services.accounts.account_work import Account, AccountTask, Step
from ..services.accounts.erasure.erasure import REMOVED
from ..services.accounts.erasure.steps import STEPS
from ..services.accounts.erasure.texts import RENAMING_STEPS
from ..services.jobs import Claimed
from ..services.photos import photos
from ..services.photos.storage import PhotoStorages
from ..services.search import merging
from ..settings import Settings
from .job_runner import Handler

_TURN_SECONDS = 20.0
"""After so long the job is freed for a moment, long before its lock ends."""
_PAUSE_SECONDS = 0.005
"""Pause as long as the last transaction took and this longer: SQLite lets others write between."""
_LOOK_AGAIN = timedelta(seconds=2)
"""After so long it is looked again whether the search has indexed what was changed."""
_MERGE = "merge {}"
_LOCALE = Path(__file__).parent.parent / "locale"


class AccountWorker(Handler):
    """Goes on with the erasure or the renaming of an account, in small transactions."""

    kind = JobKind.ACCOUNT
    lock = timedelta(minutes=2)
    pauses = tuple(timedelta(seconds=seconds) for seconds in (1, 10, 60, 300, 1800))

    def __init__(self, database: Database, storages: PhotoStorages, settings: Settings) -> None:
        self._database = database
        self._storages = storages
        self._settings = settings

    def run(self, job: Claimed) -> None:
        """Do the next steps of an order."""
        account, data = self._account(job), dict(job.data)
        steps = RENAMING_STEPS if data["task"] == AccountTask.RENAME else STEPS[data["posts"]]
        names = list(steps)
        if data["task"] == AccountTask.ERASE and self._database.is_sqlite:
            names += map(_MERGE.format, merging.TABLES)
        end = time.monotonic() + _TURN_SECONDS
        while time.monotonic() < end and not self.stopping.is_set():
            if data.get("files"):
                self._remove_files(data["files"])
                data = {**data, "files": []}
                with self._database.session.begin() as db:
                    jobs.save_progress(db, job, data)
            name = data.get("step", "")
            if name not in names:
                # A new order, or one of another release; a step may be done twice.
                name, data = names[0], {**data, "last_id": 0}
            data = {**data, "step": name}
            if name in steps:
                done = self._part(job, account, steps[name], data)
            elif self._has_index(data):
                done = self._merge(job, data)
            else:
                soon = clock.now() + _LOOK_AGAIN
                with self._database.session.begin() as db:
                    jobs.save_progress(db, job, data, due_at=soon)
                return
            if done is None:
                return
            data, is_over = done
            if is_over and name == names[-1] and not data.get("files"):
                with self._database.session.begin() as db:
                    if jobs.hold(db, job):
                        jobs.finish(db, job, clock.now())
                return
            if is_over and name != names[-1]:
                data = {**data, "step": names[names.index(name) + 1], "last_id": 0}
        with self._database.session.begin() as db:
            # At the end of those that are due, so that they take turns.
            jobs.save_progress(db, job, data, due_at=clock.now())

    def _part(
        self, job: Claimed, account: Account, step: Step, data: dict[str, Any]
    ) -> tuple[dict[str, Any], bool] | None:
        """Change what a look finds; return how far the job is, and whether the step is over.

        None if the job belongs to another process by now.
        """
        last_id = data.get("last_id", 0)
        with self._reading() as db:
            keys, next_id = step.find(db, account, last_id)
        for at in range(0, len(keys), step.size):
            part = keys[at : at + step.size]
            with self._database.session.begin() as session:
                if not jobs.hold(session, job):
                    return None
                # Not before, for it may have waited for others.
                start = time.monotonic()
                files = step.change(session, clock.now(), account, part)
                if files:
                    data = {**data, "files": [*data.get("files", []), *files]}
                if isinstance(part[-1], int):
                    data = {**data, "last_id": part[-1]}
                jobs.save_progress(session, job, data)
            # On SQLite one writer at a time is let in, and who waits does not queue up.
            time.sleep(time.monotonic() - start + _PAUSE_SECONDS)
        return {**data, "last_id": next_id or 0}, next_id is None

    def _has_index(self, data: dict[str, Any]) -> bool:
        """Return whether the search has the words of the posts as the steps before have left them.

        data: of the job, which gets the time when they had ended.
        """
        ended_at = data.setdefault("ended_at", clock.rfc3339(clock.now()))
        moment = datetime.fromisoformat(ended_at)
        return merging.has_read_until(self._database.executor, moment)

    def _merge(self, job: Claimed, data: dict[str, Any]) -> tuple[dict[str, Any], bool] | None:
        """Merge a part of the index of the search; return as `_part`."""
        table = data["step"].removeprefix(_MERGE.format(""))
        start = time.monotonic()
        with self._database.session.begin() as db:
            if not jobs.hold(db, job):
                return None
            has_more = merging.merge(db, table, is_first=not data.get("last_id"))
            data = {**data, "last_id": 1}
            jobs.save_progress(db, job, data)
        time.sleep(time.monotonic() - start + _PAUSE_SECONDS)
        return data, not has_more

    @contextmanager
    def _reading(self) -> Iterator[SqlConnection]:
        """Yield what reads without a lock, and not from a replica that is behind."""
        if self._database.is_sqlite:
            with self._database.reads.connect() as reads:
                yield reads
        else:
            with self._database.session.begin() as db:
                yield db

    def _remove_files(self, names: Sequence[str]) -> None:
        for name in names:
            photos.remove_unused(self._database, self._storages, name)

    def _account(self, job: Claimed) -> Account:
        language = self._settings["site.language"]
        catalogue = gettext.translation("forumsvc", _LOCALE, [language], fallback=True)
        with self._reading() as db:
            joined = db.execute(select(User.created_at).where(User.id == int(job.key))).scalar_one()
        return Account(
            user_id=int(job.key),
            joined=joined,
            login=job.data["login"],
            new_login=job.data["new_login"],
            addresses=job.data["addresses"],
            since=job.created_at,
            site_url=self._settings["site.url"] or "",
            user_url=self._settings["site.user_url"],
            max_title=self._settings["posts.max_title"],
            max_body=self._settings["posts.max_body"],
            removed=escape(catalogue.gettext(REMOVED.msgid)),
        )
