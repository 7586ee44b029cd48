"""What the engine of stories must not let pass: each test of a table is as strict as this."""

import pytest

from tests.cases import each
from tests.functional.stories import Steps, Values

DIFFERENT = [
    ({"id": 1}, {}),
    ({"id": 1}, [1]),
    ({"id": "absent"}, {"id": None}),
    ({"...": "$known", "id": 1}, {"id": 1, "login": "ann", "name": "Ann"}),
    ([1], [1, 2]),
    ([1, 2], [2, 1]),
    ([7], [{"id": 8}]),
    (["ann"], [{"login": "bob"}]),
    ([], None),
    ("1", 1),
    ("a…c", "ab"),
    ("a…c", "xabc"),
    ("a.c", "abc"),
    ("$one", 2),
    ("$x3", "xx"),
    ("> $one", 1),
    ({"a": "$new", "b": "$new"}, {"a": 1, "b": 2}),
]


@each("expected, shown", DIFFERENT)
def test_what_differs_fails(expected, shown):
    with pytest.raises(AssertionError):
        Values(one=1, known={"id": 1, "login": "ann"}).compare(expected, shown)


@each("misspelt", ["$nww", "/topics/$nww", {"id": ["$nww"]}, "> $nww"])
def test_a_name_without_a_value_fails(misspelt):
    with pytest.raises(KeyError, match="nww has no value"):
        Values(new=1).fill(misspelt)


def test_a_value_that_is_captured_must_be_used():
    class Captures(Steps):
        def step(self, step):
            self.values.compare(step, 1)

    Captures().play(["$_", "$used", "$used"])
    with pytest.raises(AssertionError, match="unused"):
        Captures().play(["$unused"])
