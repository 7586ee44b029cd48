"""The stories of tests/functional/api, by noun."""

from pathlib import Path

import pytest

from tests.functional.api_stories import Row, Story, stories_of
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum

FILES = sorted((Path(__file__).parent / "api").glob("*.yaml"))


@pytest.mark.usefixtures("advancing_clock")
@pytest.mark.parametrize("rows", stories_of(*FILES))
def test_story(forum: Forum, make_forum: MakeForum, rows: list[Row]) -> None:
    Story(forum, make_forum).play(rows)
