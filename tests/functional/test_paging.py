"""The `Link` headers lead through every list, by cursors that stay valid while others write."""

from itertools import chain, islice, product

import pytest
from sqlalchemy import insert

from forumsvc.db import keyset_paging
from forumsvc.db.cursors import Cursor
from forumsvc.models import Photo
from forumsvc.text.ids import MAX_ID
from tests.functional.forum import Forum, content
from tests.functional.paging import FORUM, LISTS, full, ids, links, walk, with_
from tests.functional.test_query_budgets import Scene, photo_row

pytestmark = pytest.mark.both_databases


@pytest.fixture
def scene(forum: Forum) -> Scene:
    return full(forum, 9)


def whole(scene: Scene, path: str) -> list[int]:
    """Return the ids of a whole list, read by offsets."""
    pages = [ids(scene.author.get(path, limit=5, offset=start)) for start in range(0, 25, 5)]
    assert pages[-1] == []
    return [*chain.from_iterable(pages)]


def check_walks(scene: Scene, *limits: int) -> None:
    """Check that every list can be walked to its end and back; it may end with a whole page."""
    for path in map(scene.path, LISTS):
        expected = whole(scene, path)
        assert len(expected) > 3, path
        for limit in (*limits, len(expected)):
            there = [*walk(scene.author, with_(path, limit=limit), "next")]
            assert [*chain(*map(ids, there))] == expected, path
            assert [len(ids(page)) == limit for page in there[:-1]] == [True] * (len(there) - 1)
            last = links(there[-1]).get("prev")
            back = [there[-1], *(walk(scene.author, last, "prev") if last else ())]
            assert [*chain(*map(ids, reversed(back)))] == expected, path
            assert len(back) == len(there)


def test_offsets_and_limits_cut_every_list_without_gaps_and_overlaps(forum):
    scene = full(forum, 44)
    for path in map(scene.path, LISTS):
        for caller in (scene.author, *([scene.forum.nobody] if path in FORUM else [])):
            everything = ids(caller.get(path, limit=150))
            assert len(everything) > 20, path
            assert ids(caller.get(path)) == everything[:20], path
            pages = [ids(caller.get(path, offset=start, limit=13)) for start in range(0, 104, 13)]
            assert [*chain(*pages)] == everything, path
            assert ids(caller.get(path, offset=3, limit=4)) == everything[3:7], path
            for beyond in (len(everything), MAX_ID, 10**30):
                assert ids(caller.get(path, offset=beyond)) == [], (path, beyond)


def test_walking_by_next_gives_what_offsets_give_and_prev_leads_back(scene):
    check_walks(scene, 2)


def test_a_walk_with_pinned_topics_first_shows_each_topic_once(forum):
    alice, chief = forum.person("alice"), forum.person("chief", role="maintainer")
    node = forum.node()
    topics = [forum.topic(alice, node) for _ in range(7)]
    for pinned in (topics[1], topics[4]):
        assert chief.post(f"/topics/{pinned}/action", type="pin").status_int == 200
    pages = walk(forum.nobody, "/topics?pinned=first&limit=2", "next")
    assert [*chain(*map(ids, pages))] == [topics[at] for at in (4, 1, 6, 5, 3, 2, 0)]


class Going:
    """A forum in which rows are added to every list."""

    def __init__(self, forum: Forum) -> None:
        self.forum = forum
        self.alice, self.bob = forum.person("alice"), forum.person("bob")
        self.chief = forum.person("chief", role="admin")
        self.node = forum.node()
        self.topic = forum.topic(self.alice, self.node)
        self.people = 0
        for _ in range(5):
            self.grow()

    def grow(self) -> None:
        """Add something to every list. Of the topics only the first one moves: to the top."""
        new = self.forum.topic(self.alice, self.node, title="New")
        self.chief.post(f"/topics/{new}/action", type="excellent")
        self.alice.post(f"/topics/{new}/favorite")
        self.people += 1
        other = self.forum.person(f"other{self.people}")
        other.post("/users/alice/follow")
        self.alice.post(f"/users/{other.login}/follow")
        self.alice.post(f"/users/{other.login}/block")
        reply = self.forum.reply(self.alice, self.topic)
        for kind, liked in (("topic", new), ("reply", reply)):
            self.alice.post("/likes", obj_type=kind, obj_id=liked)
        self.forum.reply(self.bob, self.topic)
        with self.forum.database.session.begin() as db:
            db.execute(insert(Photo).values(photo_row(self.alice.id, self.people)))

    @property
    def lists(self) -> list[str]:
        """The paths of all lists, of two rows a page."""
        names = {"node": self.node, "topic": self.topic}
        return [
            with_(path.format(**names).replace("/author/", "/alice/"), limit=2) for path in LISTS
        ]


@pytest.mark.parametrize("rows", [0, 1, 3])
@pytest.mark.parametrize("path", ["/users/author/replies", "/topics/{topic}/replies"])
def test_a_page_that_begins_at_a_cursor_ends_at_its_bytes_but_has_a_row(
    scene, monkeypatch, path, rows
):
    path = scene.path(path)
    found = content(scene.author.get(path, limit=150))
    text = max(len(one["body_html"]) + len(one.get("body", "")) for one in found)
    monkeypatch.setattr(keyset_paging, "MAX_TEXT", rows * text)
    expected = [one["id"] for one in found]
    assert whole(scene, path) == expected
    assert ids(scene.author.get(path, limit=150)) == expected
    there = [*walk(scene.author, with_(path, limit=4), "next")]
    assert [*chain(*map(ids, there))] == expected
    assert {len(ids(page)) for page in there[1:-1]} == {max(rows, 1)}
    back = [there[-1], *walk(scene.author, links(there[-1])["prev"], "prev")]
    assert [*chain(*map(ids, reversed(back)))] == expected


@pytest.fixture
def going(forum: Forum, advancing_clock: object) -> Going:
    return Going(forum)


def test_a_walk_shows_existing_rows_once_while_others_write(going):
    there = {path: ids(going.alice.get(with_(path, limit=150))) for path in going.lists}
    walks = {path: walk(going.alice, path, "next") for path in going.lists}
    seen: dict[str, list[int]] = {path: [] for path in walks}
    for _ in range(10):
        for path, pages in walks.items():
            seen[path] += chain.from_iterable(map(ids, islice(pages, 1)))
        going.grow()
    for path, expected in there.items():
        assert len(expected) >= 5, path
        assert [one for one in seen[path] if one in expected] == expected, path


def test_a_cursor_stays_valid_when_its_row_is_deleted(going):
    everybody = ids(going.bob.get("/users/alice/followers"))
    page = going.bob.get("/users/alice/followers?limit=2")
    gone = going.forum.caller(going.forum.token(everybody[1]))
    assert gone.post("/users/alice/unfollow").status_int == 200
    following = going.bob.get(links(page)["next"])
    assert ids(following) == everybody[2:4]
    assert ids(going.bob.get(links(following)["prev"])) == everybody[:1]


def test_a_page_with_other_links_is_sent_again_though_its_rows_are_the_same(going):
    path = "/users/alice/followers?limit=2"
    first = going.bob.get(path)
    for gone in ids(going.bob.get(links(first)["next"], limit=150))[1:]:
        going.forum.caller(going.forum.token(gone)).post("/users/alice/unfollow")
    assert "next" in links(going.bob.get(path))
    known = {"If-None-Match": going.bob.get(path).headers["ETag"]}
    assert going.bob.call("GET", path, headers=known).status_int == 304
    [last] = ids(going.bob.get(links(first)["next"]))
    going.forum.caller(going.forum.token(last)).post("/users/alice/unfollow")
    second = going.bob.call("GET", path, headers=known)
    assert (ids(second), links(second).keys()) == (ids(first), {"first"})


def test_prev_shows_new_rows_just_before_the_page(going):
    path = f"/topics/{going.topic}/replies"
    newest = going.bob.get("/topics?type=recent&limit=2")
    poll = links(going.bob.get(links(newest)["next"]))["prev"]
    assert ids(going.bob.get(poll)) == ids(newest)
    going.grow()
    assert ids(going.bob.get(poll)) == ids(newest)
    assert links(going.bob.get(poll)).keys() == {"first", "prev", "next"}
    assert links(going.bob.get(path, limit=100)).keys() == {"first", "last"}


PATH = "/users/author/followers"


RELATIONS: list[tuple[dict[str, int], set[str]]] = [
    ({}, {"first"}),
    ({"limit": 9}, {"first"}),
    ({"limit": 8}, {"first", "next"}),
    ({"offset": 1}, {"first", "prev"}),
    ({"offset": 1, "limit": 8}, {"first", "prev"}),
    ({"offset": 1, "limit": 7}, {"first", "prev", "next"}),
    ({"offset": 9}, {"first"}),
    ({"offset": 10**30}, {"first"}),
]
"""Parameters for a list of nine, and the links of the response."""


def test_next_and_prev_are_offered_where_there_is_such_a_page(scene):
    for parameters, relations in RELATIONS:
        assert links(scene.author.get(PATH, **parameters)).keys() == relations, parameters


def test_a_page_after_the_last_or_before_the_first_row_is_empty(scene):
    first, last = (links(scene.author.get(PATH, limit=1, offset=start)) for start in (0, 8))
    beyond: dict[str, list[int]] = {
        last["prev"].replace("before=", "after="): [],
        first["next"].replace("after=", "before="): [],
    }
    assert {path: ids(scene.author.get(path)) for path in beyond} == beyond
    assert all(links(scene.author.get(path)).keys() == {"first"} for path in beyond)


def test_an_offset_is_counted_from_the_cursor(scene):
    everybody = ids(scene.author.get(PATH))
    middle = links(scene.author.get(PATH, offset=3, limit=1))
    assert ids(scene.author.get(with_(middle["next"], offset=1))) == everybody[5:6]
    before = scene.author.get(with_(middle["prev"], offset=1))
    assert ids(before) == everybody[1:2]
    assert ids(scene.author.get(links(before)["next"])) == everybody[2:3]


def test_links_repeat_the_parameters_and_neither_token_nor_what_is_unknown(scene):
    token = scene.author.token
    path = scene.path("/topics?node_id={node}&type=popular&offset=2&limit=3")
    answer = scene.forum.nobody.get(f"{path}&access_token={token}&unknown=x&limit=2&order=likes")
    kept = scene.path("/topics?type=popular&node_id={node}&limit=2").replace("%", "%25")
    found = links(answer)
    assert found["first"] == kept
    assert found["next"].startswith(f"{kept}&after=")
    assert found["prev"].startswith(f"{kept}&before=")
    assert token is not None
    assert token not in str(answer.headers)


SPELLINGS = {
    "/users/ALICE/followers": "/users/ALICE/followers",
    "/users/alice/topics.json": "/users/alice/topics",
    "/topics/": "/topics",
}


def test_links_stand_under_the_sites_own_address_and_have_one_spelling(make_forum):
    forum = make_forum(site__url="https://forum.example.org/sub/")
    forum.person("alice")
    for path, spelled in SPELLINGS.items():
        for method in ("GET", "HEAD"):
            link = forum.nobody.call(method, path).headers["Link"]
            assert link.startswith(f"<https://forum.example.org/sub/api/v3{spelled}?"), link


def test_lists_without_pages_have_no_link(scene):
    for path in ("/users", "/nodes", "/users/author", "/topics?limit=0"):
        assert "Link" not in scene.author.get(path).headers


def cursor(*parts: object) -> str:
    name, *key = parts
    return str(Cursor(str(name), tuple(key)))  # type: ignore[arg-type]


NO_CURSORS = {
    "no cursor": "x",
    "no letters of it": "%D9%A3",
    "half of one": cursor("followers", 5)[:-1],
    "one with more behind": cursor("followers", 5) + "!",
    "of another list": cursor("following", 5),
    "of a list that there is not": cursor("nothing", 5),
    "with no place": cursor("followers"),
    "with too much place": cursor("followers", 5, 5),
    "too large": cursor("followers", MAX_ID + 1),
    "much too large": cursor("followers", 10**30),
    "too long": cursor("followers", *range(100)),
}


def test_an_invalid_cursor_is_400(scene):
    for what, text in NO_CURSORS.items():
        for parameter in ("before", "after"):
            answer = scene.author.get(f"{PATH}?{parameter}={text}")
            assert answer.status_int == 400, what
            assert answer.json["error"].startswith(
                f"{parameter}: must be a cursor from a Link of this list, not '"
            )


def test_a_cursor_is_valid_for_its_list_and_order_only(scene):
    # A node's list is the forum's in the same order.
    paths = [scene.path(path) for path in LISTS if "&node_id" not in path]
    for path in paths:
        _, _, text = links(scene.author.get(path, limit=1))["next"].partition("after=")
        taken = [one for one in paths if scene.author.get(one, after=text).status_int == 200]
        assert taken == [path]
    in_node = scene.path("/topics?type=popular&node_id={node}")
    text = links(scene.author.get(in_node, limit=1))["next"].partition("after=")[2]
    assert scene.author.get("/topics?type=popular", after=text).status_int == 200


def test_both_cursors_at_once_are_400(scene):
    place = cursor("followers", 5)
    answer = scene.author.get(PATH, after=place, before=place)
    assert answer.status_int == 400
    assert answer.json["error"] == "before: cannot be given together with after"


EDGES = (0, -1, 2**31, MAX_ID, -MAX_ID)
ORDERS = {
    "/topics?type=popular": ("topics.popular", 3),
    "/topics?type=last_actived": ("topics.last_actived", 2),
    "/users/author/topics?order=likes": ("user_topics.likes", 2),
    "/topics/{topic}/replies": ("replies", 1),
}


def test_a_cursor_with_an_extreme_key_is_never_a_server_error(scene):
    for path, (name, columns) in ORDERS.items():
        for number, parameter in product(EDGES, ("after", "before")):
            sent = {parameter: cursor(name, *[number] * columns)}
            status = scene.author.get(scene.path(path), **sent).status_int
            outside = name == "topics.last_actived" and abs(number) == MAX_ID
            assert status == (400 if outside else 200), (path, number)


def test_an_invalid_cursor_is_reported_only_to_callers_who_may_read_the_list(scene):
    bob = scene.forum.person("bob")
    assert scene.forum.nobody.get("/users/me/blocked?after=x").status_int == 401
    assert bob.get("/users/author/blocked?after=x").status_int == 403
    assert bob.get("/users/nobody1/followers?after=x").status_int == 404
    assert bob.get("/users/me/blocked?after=x").status_int == 400


def test_the_total_count_is_the_length_of_the_whole_list(going):
    hidden = going.forum.topic(going.alice, going.node)
    going.alice.post(f"/topics/{hidden}/favorite")
    going.forum.reply(going.alice, hidden)
    going.chief.post(f"/topics/{hidden}/action", type="ban")
    going.alice.delete(f"/replies/{going.forum.reply(going.alice, going.topic)}")
    names = ("topics", "replies", "favorites", "followers", "following")
    for path in ("/nodes", *(f"/users/alice/{name}" for name in names)):
        shown = going.bob.get(path, limit=150)
        assert shown.headers["X-Total-Count"] == str(len(ids(shown))), path
        assert int(shown.headers["X-Total-Count"]) > 0
        assert going.bob.get(path, limit=1, offset=2).headers["X-Total-Count"] == str(
            len(ids(shown))
        )


def test_lists_that_would_have_to_be_counted_have_no_total_count(scene):
    for path in ("/topics", "/topics/{topic}/replies", "/users/me/blocked", "/notifications"):
        assert "X-Total-Count" not in scene.author.get(scene.path(path)).headers
