"""What is made of other files is up to date."""

from docs import make_generated


def test_nothing_that_is_made_of_other_files_is_stale():
    names = [str(path.relative_to(make_generated.ROOT)) for path, _ in make_generated.stale()]
    assert names == [], "run make generated"
