"""What is typed into a search field."""

from datetime import UTC, datetime

import pytest

from forumsvc.errors import Invalid
from forumsvc.search.query import State, Where, parse_query
from forumsvc.search.tokens import Term
from tests.cases import each


def exact(*words: str) -> tuple[Term, ...]:
    return tuple(Term((word,)) for word in words)


@each(
    ("text", "expected"),
    [
        ("deploy", {"words": (Term(("deploy",), is_prefix=True),)}),
        ("deploy* now", {"words": (Term(("deploy",), is_prefix=True), Term(("now",)))}),
        ('"deploy"', {"words": exact("deploy"), "phrases": ("deploy",)}),
        ("\u201cdeploy now\u201d", {"words": exact("deploy", "now"), "phrases": ("deploy now",)}),
        ("deploy -now", {"excluded": exact("now")}),
        ('deploy -"right now"', {"excluded_phrases": ("right now",)}),
        ("git push --force", {"words": exact("git", "push", "force"), "excluded": ()}),
        ("a -> b -->c ->d", {"words": exact("a", "b", "c", "d"), "excluded": ()}),
        ("--by:bob --in:x", {"words": exact("by", "bob", "in", "x"), "by": None}),
        ('"a"-b c-d -', {"words": exact("a", "b", "c-d"), "excluded": ()}),
        (
            "rm -rf -.net -中 -@bob",
            {"excluded": (*exact("rf", "net"), Term(("中",), True), *exact("bob"))},
        ),
        ("deploy by:Bob", {"by": "Bob", "words": (Term(("deploy",), is_prefix=True),)}),
        ("@bob", {"by": "bob", "words": ()}),
        ("@12", {"by": "12", "words": ()}),
        ("@types/node @李", {"by": None, "words": (*exact("types", "node"), Term(("李",), True))}),
        ('node:"Ruby on Rails" x', {"node": "Ruby on Rails", "words": exact("x")}),
        ("NODE\uff1aRuby", {"node": "Ruby"}),
        ("a in:title", {"where": Where.TITLE}),
        ("a is:closed is:excellent", {"states": (State.CLOSED, State.EXCELLENT)}),
        ("a after:2025", {"since": datetime(2025, 1, 1, tzinfo=UTC)}),
        ("a before:2026-02", {"until": datetime(2026, 2, 1, tzinfo=UTC)}),
        ("http://a.example", {"words": exact("http", "a.example"), "node": None}),
        ("log in: error", {"words": exact("log", "in", "error"), "where": None}),
        ('un"balanced', {"words": exact("un", "balanced")}),
    ],
)
def test_a_query_means(text, expected):
    found = parse_query(text)
    assert {name: getattr(found, name) for name in expected} == expected


@each(
    ("text", "reason"),
    [
        ("...", "must have a word"),
        ("-deploy", "must also have a word"),
        ('by:""', "'by:' needs a value"),
        ("a before:yesterday", "before: 'yesterday' is no date"),
        ("order:2", "'2'; put it in quotes to find it as words"),
        ("a in:body", "in: must be one of all, title, topics, replies, not 'body'"),
        ("a -by:bob", "only words can be excluded"),
        ("a b c d e f g h i j k", "at most 10 words, and has 11"),
    ],
)
def test_a_wrong_query_is_refused_with_its_reason(text, reason):
    with pytest.raises(Invalid) as caught:
        parse_query(text)
    assert caught.value.field == "q"
    assert reason in caught.value.reason
