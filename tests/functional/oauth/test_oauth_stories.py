"""Each case of the RFCs: a row of oauth.yaml."""

from pathlib import Path

import pytest

from tests.functional.api_stories import stories_of

from .provider import OAuthStory


@pytest.mark.parametrize("rows", stories_of(Path(__file__).with_name("oauth.yaml")))
def test_story(forum, make_forum, time, rows):
    OAuthStory(forum, make_forum, time).play(rows)
