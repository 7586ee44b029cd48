"""The pictures of docs/performance.md show what its tables say."""

import pytest

from docs import make_pictures

PICTURES = make_pictures.pictures(make_pictures.TABLES)


@pytest.mark.parametrize("name", PICTURES)
def test_the_committed_pictures_are_drawn_from_the_committed_tables(name):
    drawn = (make_pictures.IMAGES / name).read_text()
    assert drawn == PICTURES[name], "run `python -m docs.make_pictures`"
