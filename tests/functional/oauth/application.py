"""An OAuth client that calls the provider over HTTP."""

from typing import Any

from webtest import TestResponse

from forumsvc.oauth import clients
from tests.functional.forum import Forum

PASSWORD = "correct horse battery"


class Application:
    """A registered application that calls the provider's endpoints."""

    def __init__(self, forum: Forum, **options: Any) -> None:
        """Register it; without options it has a secret and the command line's default grants."""
        options.setdefault("grants", ("password", "refresh_token", "authorization_code"))
        self.forum = forum
        with forum.database.session.begin() as db:
            made = clients.create(db, "app", **options)
        self.credentials = {"client_id": made.client_id}
        if made.client_secret is not None:
            self.credentials["client_secret"] = made.client_secret

    def post(self, name: str, **parameters: str) -> TestResponse:
        """POST a form to an endpoint as the application."""
        form = {**self.credentials, **parameters}
        return self.forum.app.post(f"/oauth/{name}", form, status="*")

    def log_in(self, username: str = "ann", password: str = PASSWORD) -> TestResponse:
        """Request a token with a password."""
        return self.post("token", grant_type="password", username=username, password=password)

    def refresh(self, token: str) -> TestResponse:
        """Request a token with a refresh token."""
        return self.post("token", grant_type="refresh_token", refresh_token=token)
