"""Whatever is typed into a search, the answer is 200 or 400."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from webtest import TestResponse

from forumsvc.services.search import reindexing
from tests.functional.conftest import MakeForum
from tests.functional.forum import Caller, Forum

pytestmark = pytest.mark.both_databases

TYPED = yaml.safe_load(Path(__file__).with_name("hostile_searches.yaml").read_text("utf-8"))
HAN = "".join(chr(0x4E00 + number) for number in range(200))
ZALGO = "Z\u0351\u036b\u0313\u036a\u0302\u0334\u0319A\u0334\u0335\u031cL\u0330\u0354GO\u035f"
QUOTES = (
    "\"'`\u00b4\u00ab\u00bb\u2039\u203a\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b"
    "\u300c\u300d\u300e\u300f\u301d\u301e\uff02\uff07\u02bc"
)

QUOTED = [
    *(one for one in QUOTES),
    *(f"{one}cat" for one in QUOTES),
    *(f"cat{one}" for one in QUOTES),
    *(f"{one}cat dog{one}" for one in QUOTES),
    *('""', '"""', '" "', '"cat" "', '"cat"dog"', '"cat\'s"', '-"', '-""', '-"cat', 'x -"cat"'),
    *('"-cat"', '"by:bob"', '"*"', '"c*"', '"' * 200, "'" * 200, '" ' * 100),
]
ODD_CHARACTERS = [
    *("a\x00b", "\x00", "\x00a", "a\x00", '"a\x00b"', "by:\x00"),
    *("a\nb", "a\tb", "a\x7fb", "\x1b[0m"),
    *("\u2028a", "\u200b", "\u200ba", "a\u200bb", "\u00ad", "\ufeff", "\ufeffa", "\uffff a"),
    *("\ufffe", "\ue000", "\U0010ffff", "\U0010ffff a", "\U000e0041"),
    *("\ufdd0 a", "\u0345", "\u3099"),
    *("\u202eabc", "\u202aabc\u202c", "\u2066abc", "שלום", "مرحبا"),
    *("שָׁלוֹם world مرحبا", "\u200fabc"),
    *(ZALGO, "a" + "\u0301" * 199, "\u0301" * 200, "🐱", "🐱 cat", "👩\u200d👩\u200d👧", "🇩🇪", "①"),
    *("İ", "\u0131", "ß" * 200, "ﬃ" * 200, "ΐ" * 200, "ﷺ", "ﷺ" * 200, "㌀" * 200, "\u33ff" * 200),
]
LONG = [
    *("猫" * 200, HAN, f"{HAN[:198]} 猫", f"猫 {HAN[:198]}"),
    *("猫 犬 鳥 魚 馬 牛 羊 山 川 木", "ก" * 200),
    *("".join(chr(0x3300 + number % 88) for number in range(200)), "한" * 200),
    *("あ" * 200, "ー" * 200),
    *("x" * 200, "x" * 201, "x" * 5_000, "é" * 200, "\U00010400" * 200, "x." * 100, "a-" * 100),
    *("_" * 200, "_a" * 100, "." * 200, "-" * 200, "- " * 100),
    *("'" * 100 + "a", "+" * 200, "c++" * 66),
    *("a'" * 100, "a " * 10, "a " * 11, "a " * 100),
    *("1 2 3 4 5 6 7 8 9 10", "1 2 3 4 5 6 7 8 9 10 11"),
    *("-1 -2 -3 -4 -5 -6 -7 -8 -9 10", "-1 -2 -3 -4 -5 -6 -7 -8 -9 10 11", "a-b" * 66, "a/b" * 66),
    *('"a b c d e f g h i j"', '"a b c d e f g h i j k"', "* " * 100, "abc* " * 10, "猫* " * 10),
]
OPERATORS = [
    f"{name}{value}{more}"
    for name in TYPED["operators"]
    for value in TYPED["values of operators"]
    for more in ("", " cat")
]

GROUPS = {
    "tsquery": TYPED["tsquery"],
    "FTS5": TYPED["FTS5"],
    "quotes": QUOTED,
    "odd characters": ODD_CHARACTERS,
    "long": LONG,
    "percent": TYPED["percent"],
    "operators": OPERATORS,
}
SURROGATES = ["%ED%A0%80", "a%ED%BF%BFb", "%ED%A0%BD%ED%B0%B1", "%FF", "%C3", "%C0%80"]
"""Lone surrogates and other bytes that are not UTF-8, as a client can write them."""
PARAMETERS = [
    *({"offset": "9" * 40}, {"offset": "-1"}, {"offset": "1e3"}, {"limit": "0"}, {"limit": "51"}),
    *({"in": "TITLE"}, {"in": "all\x00"}, {"is": "open,closed"}, {"order": "id; --"}, {"by": "@"}),
    *({"by": "'"}, {"by": "\x00"}, {"by": "9" * 40}, {"by": "猫"}),
    *({"node_id": "'"}, {"since": "0000"}),
    *({"since": "0001", "until": "9999"}, {"since": "0001-01-01T00:00:00+23:59"}, {"since": "'"}),
    *({"until": "0001-01-01T00:00:00Z"}, {"since": "9999-12-31T23:59:59Z"}, {"include": "x"}),
    *({"include_hidden": "maybe"}, {"until": "\x00"}, {"topic_id": "'"}),
]


@pytest.fixture
def forum(make_forum: MakeForum) -> Forum:
    """A forum without a limit of searches, with posts in several scripts, all of them indexed."""
    forum = make_forum(rate_limit__searches="off", rate_limit__requests="off")
    alice = forum.person("alice")
    node = forum.node("Ruby on Rails")
    for title, body in (
        ("A cat and a dog", "The cat says 'meow' & \"purr\": a <b>bold</b> cat, C++ and node.js"),
        ("猫と犬", "中文搜索 猫は可愛い。 한국어 검색 สวัสดี"),
        (f"{ZALGO} café", "AND OR NOT NEAR words rank % %s :sought don't a b c d e"),
    ):
        topic = forum.topic(alice, node, title, body)
        forum.reply(alice, topic, f"{body} {title}")
    reindexing.reindex(forum.database)
    return forum


@pytest.fixture
def caller(forum: Forum) -> Caller:
    """Somebody without a token."""
    return forum.nobody


def failures(caller: Caller, queries: list[dict[str, Any]]) -> list[tuple[str, Any, str]]:
    """Return the searches whose answer is neither 200 nor 400."""
    found = []
    for kind in ("topics", "replies", "users"):
        for query in queries:
            answer = caller.get(f"/search/{kind}", **query)
            if answer.status_int not in (200, 400) or not is_sound(answer):
                found.append((kind, query, f"{answer.status_int} {answer.text[:80]}"))
    return found


def is_sound(answer: TestResponse) -> bool:
    """Return whether a list says that it is one, or an error what is wrong with a parameter."""
    if answer.status_int == 200:
        return isinstance(answer.json, list)
    error = answer.json["error"]
    return ": " in error or "UTF-8" in error


@pytest.mark.parametrize("group", GROUPS)
def test_every_query_is_answered_or_refused(caller, group):
    assert failures(caller, [{"q": query} for query in GROUPS[group]]) == []


@pytest.mark.parametrize("group", ["tsquery", "FTS5", "quotes", "odd characters", "percent"])
def test_every_query_is_answered_or_refused_among_words_and_operators(caller, group):
    forms = ("cat {}", "{} -cat", '"{}" cat', "by:alice {}", "cat -{}", "in:title cat* {}*")
    queries = [{"q": form.format(query)} for form in forms for query in GROUPS[group][::2]]
    assert failures(caller, queries) == []


@pytest.mark.parametrize("query", SURROGATES)
def test_bytes_that_are_no_text_are_refused(caller, query):
    for kind in ("topics", "replies", "users"):
        assert caller.get(f"/search/{kind}?q={query}").status_int == 400
        assert caller.get(f"/search/{kind}?q=cat&{query}={query}").status_int == 400


def test_every_value_of_the_other_parameters_is_taken_or_refused(caller):
    assert failures(caller, [{"q": "cat", **values} for values in PARAMETERS]) == []


def test_200_characters_are_taken_and_201_refused(caller):
    for character in ("x", "猫", "\U00020000", "é"):
        assert caller.get("/search/topics", q=character * 200).status_int == 200
        refused = caller.get("/search/topics", q=character * 201)
        error = "q: must have at most 200 characters, and has 201"
        assert (refused.status_int, refused.json) == (400, {"error": error})


def test_the_syntax_of_an_index_is_text(caller):
    def ids(query: str) -> list[int]:
        return [one["id"] for one in caller.get("/search/topics", q=query).json]

    [cats, *_] = both = ids("cat")
    assert both == ids("cat & cat") == ids("'cat'") == ids("(cat)") == ids("^cat")
    assert ids("cat | zebra") == ids("cat OR zebra") == ids("!zebra cat") == []
    assert cats in ids("cat -zebra")
    # Only the third post has these words.
    assert len(ids("near not and or")) == 1


def test_no_query_reaches_the_tokens_of_titles_authors_and_nodes(caller):
    for query in ("=cat", '"=cat"', "'=cat'", "=c*"):
        plain = caller.get("/search/replies", q=query.replace("=", ""))
        assert caller.get("/search/replies", q=query).json == plain.json
    for query in ('"@u1"', '"@n1"', "x@u1", "=u1"):
        assert caller.get("/search/replies", q=query).json == [], query


def test_links_lead_to_the_same_query(caller):
    for query in ('cat* & "x', "cat %s", "猫+1", "cat#x?y=1&q=dog", "cat <b>"):
        answer = caller.get("/search/topics", q=query, limit=1)
        first = answer.headers["Link"].partition(">")[0].removeprefix("<http://localhost")
        assert caller.app.get(first).body == answer.body, query
