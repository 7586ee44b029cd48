"""`forumsvc jobs …`: listing, retrying and discarding jobs."""

from datetime import timedelta

import pytest

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import JobKind, MailKind
from forumsvc.services import jobs, mails
from tests.functional.cli.conftest import Run

pytestmark = pytest.mark.both_databases


@pytest.fixture
def failed(database: Database) -> int:
    """The id of a job that was given up; another one waits."""
    for address in ("ann@example.org", "bob@example.org"):
        with database.session.begin() as db:
            mails.enqueue(db, MailKind.PASSWORD_RESET, address, clock.now(), data={"url": "u"})
    with database.session.begin() as db:
        job = jobs.claim(db, JobKind.MAIL, clock.now(), timedelta(minutes=1))
        assert job is not None
        jobs.fail(db, job, clock.now(), "SMTPDataError 554", ())
    return int(job.id)


def test_jobs_are_listed_by_kind_and_state_without_addresses(run: Run, failed: int) -> None:
    [listed] = run("jobs", "list", "--failed", "--json").json["jobs"]
    assert (listed["id"], listed["state"], listed["attempts"]) == (failed, "failed", 1)
    assert (listed["error"], listed["due_at"]) == ("SMTPDataError 554", None)
    everything = run("jobs", "list", "--kind", "mail", "--json")
    assert len(everything.json["jobs"]) == 2
    assert "ann@" not in everything.out
    assert run("jobs", "list", "--kind", "sweep").out == "There are no jobs.\n"


@pytest.mark.parametrize("by_id", [True, False])
def test_a_failed_job_is_due_again_after_a_retry(run: Run, failed: int, by_id: bool) -> None:
    words = [failed] if by_id else ["--all-failed", "--kind", "mail"]
    assert run("jobs", "retry", *words, "--json").json == {"ids": [failed]}
    assert run("jobs", "list", "--failed", "--json").json["jobs"] == []
    _, listed = run("jobs", "list", "--json").json["jobs"]
    assert (listed["state"], listed["attempts"]) == ("waiting", 0)


def test_a_discarded_job_is_gone(run: Run, failed: int) -> None:
    assert run("jobs", "discard", failed, "--json").json == {"ids": [failed]}
    [left] = run("jobs", "list", "--json").json["jobs"]
    assert left["id"] != failed


def test_nothing_is_changed_where_one_of_the_jobs_is_not_there(run: Run, failed: int) -> None:
    for command in ("retry", "discard"):
        assert "no unfinished job 99" in run("jobs", command, failed, 99).refusal
    assert len(run("jobs", "list", "--failed", "--json").json["jobs"]) == 1


@pytest.mark.parametrize("words", [(), ("1", "--all-failed"), ("1", "--kind", "mail")])
def test_what_is_retried_is_said_in_one_way(run: Run, words: tuple[str, ...]) -> None:
    assert run("jobs", "retry", *words).code == 2
