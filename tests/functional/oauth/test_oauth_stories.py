"""Each case of the RFCs: a row of oauth.yaml."""

from pathlib import Path

import pytest

from tests.functional.api_stories import Row, stories_of
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum

from .provider import ManualClock, OAuthStory


@pytest.mark.parametrize("rows", stories_of(Path(__file__).with_name("oauth.yaml")))
def test_story(forum: Forum, make_forum: MakeForum, time: ManualClock, rows: list[Row]) -> None:
    story = OAuthStory(forum, make_forum, time)
    story.values["off"] = {"active": False}
    story.play(rows)
