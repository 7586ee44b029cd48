"""`forumsvc search …`: making, checking and explaining the index."""

import re

import pytest
from sqlalchemy import delete, select

from forumsvc.db.engine import Database
from forumsvc.demo import load
from forumsvc.demo.posts import community
from forumsvc.markup import Renderer
from forumsvc.models import ReplyWords, User
from forumsvc.services.search.reindexing import mark_pending

POSTS = community("zh")[2]
TOPICS = sum(bool(post.title) for post in POSTS)
REPLIES = len(POSTS) - TOPICS


@pytest.fixture
def filled(database: Database) -> Database:
    """A database with a demo community, whose search index was emptied."""
    load(database, renderer=Renderer(workers=0), language="zh")
    with database.session.begin() as db:
        db.execute(delete(ReplyWords))
        mark_pending(db)
    return database


def test_reindexing_says_what_was_indexed_and_the_status_what_is_missing(run, filled):
    before = run("search", "status", "--json").json
    assert before["complete"] is False
    assert [one["missing"] for one in before["tables"]] == [0, REPLIES]
    assert "Searches answer 503" in run("search", "status").out
    made = run("search", "reindex", "--json").json
    assert (made["topics"], made["replies"]) == (0, REPLIES)
    after = run("search", "status", "--json").json
    assert after["complete"] is True
    assert [(one["indexed"], one["missing"]) for one in after["tables"]] == [
        (TOPICS, 0),
        (REPLIES, 0),
    ]
    assert (
        f"Indexed {TOPICS} topics and {REPLIES} replies"
        in run("search", "reindex", "--from-scratch").out
    )


def test_a_check_fails_until_the_index_is_right(run, filled):
    refused = run("search", "check")
    assert refused.code == 1
    # Documents are compared in parts, each of which tells its own.
    told = re.findall(r"reply_words: (\d+) not indexed", refused.out)
    assert sum(map(int, told)) == REPLIES
    fixed = run("search", "check", "--fix", "--json")
    assert (fixed.code, fixed.json["wrong"], fixed.json["fixed"]) == (0, REPLIES, REPLIES)
    assert run("search", "check").code == 0


def test_a_query_is_explained(run, filled):
    run("search", "reindex")
    shown = run("search", "explain", "by:demo", "--json").json
    with filled.reads.connect() as db:
        demo = db.execute(select(User.id).where(User.login == "demo")).scalar_one()
    assert shown["user_id"] == demo
    assert set(shown["candidates"]) == {"titles", "topics", "replies"}
    assert len(shown["topics"]) == len(set(shown["topics"])) > 0
    assert "candidates" in run("search", "explain", "the").out
    assert "q: there is no node 'nix'" in run("search", "explain", "node:nix").refusal
