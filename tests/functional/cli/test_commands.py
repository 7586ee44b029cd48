"""Each command, step by step: the stories of `commands.yaml`, which says how to write one."""

from pathlib import Path

import pytest

from tests.functional.cli.story import Story
from tests.functional.stories import stories

TABLE = Path(__file__).with_name("commands.yaml")
BOTH = pytest.mark.both_databases


@pytest.mark.parametrize("steps", stories(TABLE, api=BOTH, events=BOTH, jobs=BOTH))
def test_command(steps, run, ini, database, monkeypatch):
    Story(run, ini, database, monkeypatch).play(steps)
