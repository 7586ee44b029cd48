"""GET /site: the facts of the site, and their ETag."""

import pytest

from forumsvc import clock
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum


def test_the_site_shows_what_its_settings_say(make_forum: MakeForum):
    forum = make_forum(
        **{
            "site.name": "Birds",
            "site.tagline": "A place to talk",
            "site.url": "https://birds.example.org",
            "posts.max_title": "80",
            "posts.max_body": "5000",
            "photos.quota": "off",
            "photos.max_bytes": "2000000",
            "rate_limit.requests": "300/minute",
            "rate_limit.reports": "20/day",
            "rate_limit.searches": "off",
            "accounts.registration": "approval",
        }
    )
    shown = forum.nobody.get("/site").json
    assert (shown["name"], shown["tagline"]) == ("Birds", "A place to talk")
    assert shown["languages"] == ["en", "ar", "zh"]
    assert shown["api_version"] == "3.0.0"
    assert (shown["limits"]["title"], shown["limits"]["text"]) == (80, 5000)
    photos = shown["limits"]["photos"]
    assert (photos["bytes"], photos["quota"]) == (2_000_000, None)
    assert photos["media_types"] == ["image/png", "image/jpeg", "image/gif", "image/webp"]
    rates = shown["limits"]["rates"]
    assert rates["requests"] == {"amount": 300, "seconds": 60}
    assert rates["reports"] == {"amount": 20, "seconds": 86_400}
    assert (rates["writes"], rates["searches"]) == (None, None)
    assert shown["scopes"] == ["read", "write", "moderate", "admin"]
    assert shown["registration_open"] is True
    assert shown["urls"] == {
        "pages": "https://birds.example.org/",
        "feeds": "https://birds.example.org/topics/feed.xml",
        "description": "https://birds.example.org/api/v3/openapi.json",
        "guide": "https://birds.example.org/docs/guide",
    }


def test_its_addresses_are_there(forum: Forum):
    for address in forum.nobody.get("/site").json["urls"].values():
        assert forum.app.get(address).status_int == 200, address


def test_addresses_of_what_is_switched_off_are_null(make_forum: MakeForum):
    forum = make_forum(**{"pages.forum": "false", "docs.enabled": "false"})
    urls = forum.nobody.get("/site").json["urls"]
    assert [name for name, url in urls.items() if url is None] == ["pages", "feeds", "guide"]


@pytest.mark.parametrize("envelope", ["bare", "keyed"])
def test_the_time_moves_and_the_etag_does_not(
    make_forum: MakeForum, monkeypatch: pytest.MonkeyPatch, envelope: str
):
    forum = make_forum(**{"api.envelope": envelope})

    def shown(at: str) -> tuple[str, str]:
        monkeypatch.setattr(clock, "now", lambda: clock.parse_rfc3339(at))
        answer = forum.nobody.get("/site")
        site = answer.json["site"] if envelope == "keyed" else answer.json
        return site["time"], answer.headers["ETag"]

    (first, tag), (second, same_tag) = shown("2026-11-21T08:00:00Z"), shown("2026-11-21T09:00:00Z")
    assert (first, second) == ("2026-11-21T08:00:00.000Z", "2026-11-21T09:00:00.000Z")
    assert tag == same_tag
    named = make_forum(**{"api.envelope": envelope, "rate_limit.searches": "7/minute"})
    assert named.nobody.get("/site").headers["ETag"] != tag


def test_a_post_at_the_site_is_405(forum: Forum):
    answer = forum.nobody.call("POST", "/site", {})
    assert (answer.status_int, answer.headers["Allow"]) == (405, "GET, HEAD, OPTIONS, PUT")
