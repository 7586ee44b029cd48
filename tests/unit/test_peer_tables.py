"""The tables of the forums that are measured beside this one, and how their pages are read."""

import re
from collections import Counter

import pytest

from benchmarks.output import markdown
from benchmarks.peer_programs.browser import form_with
from benchmarks.peer_programs.installing import REQUIREMENTS, version
from benchmarks.peer_programs.own import OWN
from benchmarks.peer_programs.peer import ENDPOINTS, Replies
from benchmarks.peer_programs.registry import PEERS
from benchmarks.peer_programs.table import HEAD, read, summary
from benchmarks.request import Request
from benchmarks.servers import ROOT

TABLE = ROOT / "docs" / "performance" / "peers.csv"
NAMES = [*(own.name for own in OWN), *(peer.name for peer in PEERS.values())]


def test_each_forum_has_all_figures_in_a_known_order_and_none_is_empty():
    figures = read(TABLE)
    wanted = {(endpoint, processes) for endpoint in ENDPOINTS for processes in (1, 2)}
    forums = list(dict.fromkeys(one.forum for one in figures))
    assert forums == [name for name in NAMES if name in forums]
    for forum in forums:
        rows = [(one.endpoint, one.processes) for one in figures if one.forum == forum]
        assert Counter(rows) == Counter(wanted)
    assert all(one.rate > 0 and one.megabytes > 0 and one.start > 0 for one in figures)
    assert all(one.errors == 0 for one in figures)
    assert all(cell for one in figures for cell in one.row())
    assert all(len(one.row()) == len(HEAD) for one in figures)


def test_the_readme_has_the_best_of_that_table():
    rows = summary(read(TABLE))
    assert markdown(rows, 1) in (ROOT / "README.md").read_text("utf-8")
    assert all(cell for row in rows[1:] for cell in row)


def test_the_manual_names_the_version_of_each_measured_forum():
    text = (ROOT / "docs" / "performance.md").read_text("utf-8")
    forums = {one.forum for one in read(TABLE)}
    for peer in PEERS.values():
        if peer.name in forums:
            assert f"{peer.name} {version(peer.key, peer.package)}" in text


@pytest.mark.parametrize("key", [*PEERS, "postgresql"])
def test_everything_of_a_peer_is_pinned(key):
    lines = (REQUIREMENTS / f"{key}.txt").read_text("utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    assert len(lines) == len(set(lines))


def test_a_form_is_read_as_a_browser_sends_it():
    page = """
    <form action="/search"><input name="q"></form>
    <form action="reply/"><input type="hidden" name="token" value="a&amp;b">
    <input type="checkbox" name="watch"><input type="submit" name="go" value="Go">
    <textarea name="text"></textarea></form>
    """
    assert form_with(page, "text") == ("reply/", {"token": "a&b", "text": ""})
    with pytest.raises(RuntimeError, match="no form with password"):
        form_with(page, "password")


def test_no_two_replies_have_the_same_text():
    replies = Replies([lambda text: Request("POST", "/", {}, text)], "ann", many=3)
    texts = [one.body for one in (*replies, *replies)]
    assert len(replies) == 3
    assert len(set(texts)) == 6
