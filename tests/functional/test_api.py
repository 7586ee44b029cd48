"""The stories of tests/functional/api, by noun."""

from pathlib import Path

import pytest

from tests.functional.api_stories import Story, stories_of

FILES = sorted((Path(__file__).parent / "api").glob("*.yaml"))


@pytest.mark.usefixtures("advancing_clock")
@pytest.mark.parametrize("rows", stories_of(*FILES))
def test_story(forum, make_forum, rows):
    Story(forum, make_forum).play(rows)
