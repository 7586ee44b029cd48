"""`Prefer: handling=strict`: an unknown parameter is 400, and nothing is done."""

from typing import Any

from webtest import TestResponse

from forumsvc.permissions import UserPermission
from tests.architecture.test_view_catalogue import views as views  # a fixture
from tests.functional.forum import Caller, Forum
from tests.openapi.operations import operations

STRICT = {"Prefer": "handling=strict"}
APPLIED = "handling=strict"


def strictly(who: Caller, method: str, path: str, form: Any = None, **more: Any) -> TestResponse:
    return who.call(method, path, form or {}, headers=STRICT, **more)


def test_an_unknown_parameter_of_query_or_body_is_named_and_nothing_is_done(forum: Forum):
    alice, node = forum.person("alice"), forum.node()
    known = {"title": "T", "node_id": node, "body": "B"}
    for path, form in (("/topics", {**known, "titel": "x"}), ("/topics?titel=x", known)):
        answer = strictly(alice, "POST", path, form)
        assert (answer.status_int, answer.json) == (
            400,
            {"error": "titel: is no parameter of this call"},
        )
        assert answer.headers["Preference-Applied"] == APPLIED
    assert forum.nobody.get("/topics").json == []
    assert alice.call("POST", "/topics", {**known, "titel": "x"}).status_int == 201
    kept = strictly(alice, "POST", "/topics", known)
    assert (kept.status_int, kept.headers["Preference-Applied"]) == (201, APPLIED)


def test_where_nothing_is_asked_nothing_is_said(forum: Forum):
    for headers in ({}, {"Prefer": "handling=lenient"}, {"Prefer": "respond-async"}):
        answer = forum.nobody.call("GET", "/topics?foo=1", headers=headers)
        assert answer.status_int == 200
        assert "Preference-Applied" not in answer.headers


def test_a_page_from_the_cache_says_it_only_to_who_asks(forum: Forum):
    for headers, applied in (({}, None), (STRICT, APPLIED), ({}, None)):
        answer = forum.nobody.call("GET", "/nodes", headers=headers)
        assert answer.headers.get("Preference-Applied") == applied
    tag = {"If-None-Match": answer.headers["ETag"], **STRICT}
    unchanged = forum.nobody.call("GET", "/nodes", headers=tag)
    assert (unchanged.status_int, unchanged.headers["Preference-Applied"]) == (304, APPLIED)
    assert strictly(forum.nobody, "GET", "/nodes?limit=1").status_int == 400


def test_every_spelling_of_a_list_is_known(forum: Forum):
    for query in ("ids=1", "ids[]=1&ids[]=2", "ids[0]=1&ids[1]=2", "ids=1,2&include=state"):
        assert strictly(forum.nobody, "GET", f"/users?{query}").status_int == 200, query
    for query in ("ids[x]=1", "limit[]=1", "id=1", "ids=1&Limit=1"):
        assert strictly(forum.nobody, "GET", f"/users?{query}").status_int == 400, query


def test_the_token_and_the_parameters_of_a_predicate_are_known(forum: Forum):
    alice = forum.person("alice")
    topic = forum.topic(alice, forum.node())
    token = alice.token
    close = f"/topics/{topic}/action?type=close&access_token={token}"
    assert strictly(forum.nobody, "POST", close).status_int == 200
    assert strictly(forum.nobody, "POST", f"{close}&reasn=x").json["error"].startswith("reasn: ")
    praise = strictly(alice, "POST", f"/topics/{topic}/action?type=praise")
    assert praise.json["error"].startswith("type: ")


def test_the_name_of_an_unknown_parameter_is_shown_in_full_or_cut(forum: Forum):
    answer = strictly(forum.nobody, "GET", f"/nodes?{'x' * 1000}=1")
    assert answer.json == {"error": f"{'x' * 40}…: is no parameter of this call"}
    answer = strictly(forum.nobody, "GET", "/nodes?%0a%E2%80%AE=1")
    assert answer.json == {"error": "\\n\\u202e: is no parameter of this call"}


def test_what_is_refused_for_another_reason_is_refused_for_that(forum: Forum):
    assert strictly(forum.nobody, "POST", "/topics?foo=1").status_int == 401
    assert strictly(forum.nobody, "GET", "/topics/1?foo=1").status_int == 404


def test_what_views_read_by_themselves_is_known(views: Any):
    described = {one.definition["operationId"]: one for one in operations()}
    form = described["openAccount"].forms["application/json"]["properties"]
    [account] = [one for one in views if one["words"] == [UserPermission.REGISTER]]
    assert set(account["own_parameters"]) == set(form)
    actions = [one for one in views if one.get("action")]
    assert {one["own_parameters"] for one in actions} == {("type",)}


def test_every_view_of_the_api_refuses_unknown_parameters(views: Any):
    for view in views:
        if view["route_name"] == "api":
            assert view.get("own_parameters") is not None, view["name"]
