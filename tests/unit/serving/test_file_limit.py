"""The limit of open files."""

import resource

from forumsvc.serving import file_limit
from tests.cases import each


@each(
    ("soft", "hard", "wanted"),
    [
        (256, 1_024, 1_024),
        (256, 10**6, file_limit.ENOUGH),
        (256, resource.RLIM_INFINITY, file_limit.ENOUGH),
        (file_limit.ENOUGH, 10**6, None),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, None),
    ],
)
def test_the_soft_limit_is_raised_as_far_as_the_hard_one_allows_and_never_lowered(
    monkeypatch, soft, hard, wanted
):
    calls: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda what, new: calls.append(new))
    file_limit.raise_file_limit()
    assert calls == ([] if wanted is None else [(wanted, hard)])
