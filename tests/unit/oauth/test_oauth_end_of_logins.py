"""What is being issued while all log-ins of a user end must not survive."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from forumsvc.db.engine import Database
from forumsvc.oauth import authorization_endpoint
from forumsvc.oauth.authorization_endpoint import RedirectableError
from forumsvc.services import accounts

from .world import Clock, World


def test_an_exchange_that_began_before_the_end_of_all_logins_finds_no_code(
    world: World, time: Clock
) -> None:
    code = world.code(world.app)
    time.advance(seconds=1)
    with world.database.session.begin() as db:
        accounts.set_password(db, "ann", "another horse battery")
    time.advance(seconds=-1)
    assert world.exchange(world.app, code).body["error"] == "invalid_grant"


def test_an_answer_of_a_session_that_has_ended_gives_no_code(world: World) -> None:
    asked = world.ask(world.app)
    with world.database.session() as db, pytest.raises(RedirectableError) as refusal:
        authorization_endpoint.approve(
            world.provider(db), asked, world.ann, "of a session that has ended"
        )
    assert "error=access_denied" in refusal.value.location


def test_tokens_that_are_being_refreshed_end_too(world: World) -> None:
    with ThreadPoolExecutor(1) as pool:
        for _ in range(5):
            given = world.log_in()
            refreshed = pool.submit(world.refresh, given["refresh_token"])
            _log_out_everywhere(world.database, world.ann)
            assert not world.alive(given["access_token"])
            if refreshed.result().status == 200:
                assert not world.alive(refreshed.result().body["access_token"])


def _log_out_everywhere(database: Database, user_id: int) -> None:
    with database.session.begin() as db:
        accounts.log_out_everywhere(db, user_id)
