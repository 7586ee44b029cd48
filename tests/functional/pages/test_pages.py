"""Each page, step by step: the stories of `pages.yaml`, which says how to write one."""

from functools import partial
from pathlib import Path

import pytest

from tests.functional.forum import Forum
from tests.functional.stories import stories

from .conftest import OPEN, read_mails
from .story import Story
from .visitor import Mail


@pytest.mark.parametrize(
    "steps",
    stories(Path(__file__).with_name("pages.yaml"), email=pytest.mark.both_databases),
)
def test_page(steps, forum, make_forum, mail, tmp_path):
    def make(**settings: str) -> tuple[Forum, Mail]:
        if not settings:
            return forum, mail
        made = make_forum(**{**OPEN, **settings})
        return made, partial(read_mails, made, tmp_path / "var" / "mail")

    Story(make).play(steps)
