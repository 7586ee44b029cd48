"""/applications: authorized and registered ones."""

from functools import partial

import pytest
from sqlalchemy import select
from webtest import TestResponse

from forumsvc.models import OAuthClient
from forumsvc.oauth import clients, codes
from forumsvc.pages.oauth import applications
from tests.functional.forum import Forum
from tests.functional.oauth.application import Application
from tests.functional.threads import together

from .visitor import PASSWORD, Visitor, form_of, problem, sent, with_password


def register(member: Visitor, **fields: object) -> TestResponse:
    form = form_of(member.get("/applications"))
    for name, value in {"name": "Boats", "redirect_uris": "https://a.example/", **fields}.items():
        form[name] = value
    return form.submit(status="*")


def owned(forum: Forum) -> int:
    with forum.database.reads.connect() as db:
        return len([one for one in clients.list_clients(db) if one.owner_id is not None])


def shown(page: TestResponse) -> list[str]:
    return [code.text for code in page.html.main.find_all("code")]


def button(member: Visitor, action: str) -> TestResponse:
    """Submit the form with this action on the page."""
    page = member.get("/applications")
    return next(form for form in page.forms.values() if form.action == action).submit(status="*")


def test_authorizations_are_listed_and_revoked(forum, member, ann):
    app = Application(forum)
    issued = app.log_in(password=PASSWORD).json
    text = member.get("/applications").html.main.text
    assert "Scopes: read, write" in text
    client_id = app.credentials["client_id"]
    with forum.database.session.begin() as db:
        row = clients.find(db, client_id)
        assert row is not None
        code = codes.issue(
            db,
            client_id=row.id,
            user_id=ann,
            redirect_uri="https://a.example/",
            scope="read",
            challenge=None,
            ttl=60,
            now=row.created_at,
        )
    assert button(member, f"/applications/{client_id}/revoke").status_int == 303
    assert forum.caller(issued["access_token"]).get("/hello").status_int == 401
    assert app.refresh(issued["refresh_token"]).json["error"] == "invalid_grant"
    late = app.post(
        "token", grant_type="authorization_code", code=code, redirect_uri="https://a.example/"
    )
    assert late.json["error"] == "invalid_grant"
    assert f"/applications/{client_id}/revoke" not in member.get("/applications").text


def test_revoking_leaves_what_others_allowed(forum, member, ann):
    with_password(forum, "bob")
    app = Application(forum)
    mine = app.log_in(password=PASSWORD).json
    theirs = app.log_in("bob", PASSWORD).json
    button(member, f"/applications/{app.credentials['client_id']}/revoke")
    assert forum.caller(mine["access_token"]).get("/hello").status_int == 401
    assert forum.caller(theirs["access_token"]).get("/hello").status_int == 200


def test_an_application_whose_form_is_sent_twice_is_there_once_and_keeps_its_secret(forum, member):
    form = form_of(member.get("/applications"))
    given = {"name": "Boats", "redirect_uris": "https://a.example/"}
    credentials = shown(sent(form, **given))
    assert "create a new one" in sent(form, **given).follow().html.main.text
    with forum.database.reads.connect() as db:
        assert clients.authenticate(db, *credentials) is not None
    assert owned(forum) == 1
    sent(form, **{**given, "name": "Others"})
    assert owned(forum) == 2


def test_a_registered_application_works_and_its_secret_is_shown_once(forum, member):
    page = register(member, client_credentials=True)
    client_id, secret = shown(page)
    assert page.headers["Cache-Control"] == "no-store"
    assert secret not in member.get("/applications").text
    form = {"client_id": client_id, "client_secret": secret, "grant_type": "client_credentials"}
    assert forum.app.post("/oauth/token", form).json["scope"] == "read"


def test_a_members_application_never_gets_the_password_grant(forum, member):
    page = member.get("/applications")
    assert page.html.find("input", {"name": "password"}) is None
    fields = {"name": "Boats", "kind": "confidential", "password": "1"}
    refused = member.post("/applications", **fields)
    assert "at least one" in refused.html.find(id="grants-wrong").text
    client_id, secret = shown(member.post("/applications", **fields, refresh_token="1"))
    form = {"client_id": client_id, "client_secret": secret, "grant_type": "password"}
    form |= {"username": "ann", "password": PASSWORD}
    answer = forum.app.post("/oauth/token", form, status=400)
    assert answer.json["error"] == "unauthorized_client"


def test_rotating_the_secret_invalidates_the_former_one(forum, member):
    client_id, old = shown(register(member))
    _, new = shown(button(member, f"/applications/{client_id}/rotate"))
    with forum.database.reads.connect() as db:
        assert clients.authenticate(db, client_id, old) is None
        assert clients.authenticate(db, client_id, new) is not None


@pytest.mark.both_databases
def test_the_number_of_applications_holds_for_forms_that_are_sent_at_once(forum, ann, monkeypatch):
    monkeypatch.setattr(applications, "MAX_APPLICATIONS", 1)
    visitors = [Visitor(forum) for _ in range(3)]
    for each in visitors:
        each.log_in()
    together([partial(register, each) for each in visitors])
    assert owned(forum) == 1


def test_blocked_users_cannot_register_but_can_revoke(forum, member, ann):
    app = Application(forum)
    app.log_in(password=PASSWORD)
    forum.change(ann, state="blocked")
    page = register(member)
    assert (page.status_int, "blocked" in problem(page)) == (403, True)
    assert button(member, f"/applications/{app.credentials['client_id']}/revoke").status_int == 303


def test_an_application_can_be_deleted_though_nobody_may_register_one_any_more(
    forum, member, monkeypatch
):
    register(member)
    settings = forum.registry.forum_settings
    monkeypatch.setitem(settings._values, "oauth.user_registered_clients", False)
    with forum.database.reads.connect() as db:
        [client_id] = db.scalars(
            select(OAuthClient.client_id).where(OAuthClient.owner_id.is_not(None))
        )
    assert member.post(f"/applications/{client_id}/rotate").status_int == 403
    assert member.post(f"/applications/{client_id}/delete").status_int == 303
    assert owned(forum) == 0
