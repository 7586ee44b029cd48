"""Headers and numbers of somebody who means harm end in an answer, and take no time."""

import time

from webob import Request, Response

from tests.cases import each
from tests.functional.forum import API, Forum
from tests.functional.oauth.application import Application

LONG = 30_000
"""Characters: what the server takes as a header."""
MOST_SECONDS = 0.5
"""Of processor time. What was quadratic took from one second to many."""


def answer(forum: Forum, path: str, method: str = "GET", **environ: str) -> Response:
    """Send a request without WebTest, which would refuse it."""
    request = Request.blank(path, method=method)
    request.environ.update(environ)
    began = time.thread_time()
    response = request.get_response(forum.application)
    assert response.body is not None
    assert time.thread_time() - began < MOST_SECONDS
    return response


@each(
    ("path", "environ"),
    [
        ("/login", {"HTTP_COOKIE": "a" * LONG}),
        ("/", {"HTTP_COOKIE": 'a="\\377"'}),
        ("/", {"HTTP_COOKIE": 'display="\\377"; session="\\377"'}),
        ("/", {"REQUEST_URI": "/?x=" + "a" * LONG}),
        ("/robots.txt", {"HTTP_IF_MODIFIED_SINCE": "Mon, 01 Jan 99999 00:00:00 GMT"}),
        ("/robots.txt", {"HTTP_IF_MODIFIED_SINCE": "Mon, 01 Jan 9999999999 00:00:00 GMT"}),
        ("/robots.txt", {"HTTP_RANGE": f"bytes={'9' * 5_000}-"}),
        ("/topics/feed.xml", {"HTTP_IF_MODIFIED_SINCE": "Mon, 01 Jan 99999 00:00:00 GMT"}),
    ],
)
def test_an_odd_header_is_as_if_it_were_not_there(forum, path, environ):
    assert answer(forum, path, **environ).status_int == 200


def test_a_range_with_an_odd_date_is_answered(forum):
    odd = {"HTTP_RANGE": "bytes=0-1", "HTTP_IF_RANGE": "Mon, 01 Jan 99999 00:00:00 GMT"}
    assert answer(forum, "/robots.txt", **odd).status_int in (200, 206)


@each("host", ["[1:2]", "[::::]", "[1.2]", "[]"])
def test_a_host_in_brackets_is_an_address(forum, host):
    assert answer(forum, "/oauth/token", "POST", HTTP_HOST=host).status_int == 400
    assert answer(forum, "/", HTTP_HOST="[::1]:80").status_int == 200


def test_a_number_of_zeros_is_read_at_once(forum):
    assert answer(forum, f"{API}/topics?offset={'0' * LONG}x").status_int == 400


def test_no_redirect_follows_the_host_header(make_forum):
    site = "https://forum.example"
    forum = make_forum(site__url=site, pages__forum="true")
    evil = {"HTTP_HOST": "evil.example"}
    for path, to in (
        ("/applications", "/login?next=%2Fapplications"),
        ("/topics/node1", "/topics/node1"),
        ("/topics/", "/topics"),
        ("/applications?x=//evil.example", "/login?next=%2Fapplications%3Fx%3D%2F%2Fevil.example"),
    ):
        found = answer(forum, path, **evil)
        if found.status_int in (301, 302, 303):
            assert found.headers["Location"] == to
    alice, node = forum.person("alice"), forum.node()
    form = {"title": "T", "node_id": node, "body": "B"}
    made = alice.call("POST", "/topics", form, headers={"Host": "evil.example"})
    assert made.headers["Location"].startswith(f"{site}/api/v3/topics/")


def test_no_repeated_client_leads_from_this_site_without_a_login(forum):
    uri, owner = "https://evil.example/", forum.person("alice").id
    application = Application(
        forum, redirect_uris=[uri], owner_id=owner, grants=("authorization_code",)
    )
    client_id = application.credentials["client_id"]
    query = f"client_id={client_id}&client_id=&response_type=x&redirect_uri={uri}"
    found = answer(forum, f"/oauth/authorize?{query}", HTTP_ACCEPT="text/html")
    assert found.status_int == 303
    assert found.location.startswith("/login")
