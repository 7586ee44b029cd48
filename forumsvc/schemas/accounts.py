"""The forms of a person's own account, on the pages and in the API."""

from typing import Any

import colander

from ..oauth.clients import MAX_NAME, MEMBER_GRANTS
from ..oauth.resource_owners import MAX_USERNAME
from ..passwords import MAX_LENGTH
from ..services.accounts import MAX_EMAIL
from .fields import Choice, Line, Text, optional, parameters, required

_LOGIN = 20
_URIS = 20_000
_RESET_TOKEN = 200
_KINDS = ("confidential", "public")


def registration_form(settings: Any) -> colander.SchemaNode:
    """Return the schema of registration."""
    return parameters(
        required("login", Line(1, _LOGIN)),
        required("email", Line(1, MAX_EMAIL)),
        required("password", Text(1, MAX_LENGTH)),
    )


def login_form() -> colander.SchemaNode:
    """Return the schema of logging in."""
    return parameters(
        required("username", Text(1, MAX_USERNAME, strip=True)),
        required("password", Text(1, MAX_LENGTH)),
    )


def password_form() -> colander.SchemaNode:
    """Return the schema of changing the password."""
    return parameters(
        required("current_password", Text(1, MAX_LENGTH)),
        required("new_password", Text(1, MAX_LENGTH)),
    )


def email_form() -> colander.SchemaNode:
    """Return the schema of changing the email address."""
    return parameters(
        required("email", Line(1, MAX_EMAIL)),
        required("current_password", Text(1, MAX_LENGTH)),
    )


def confirm_email_form() -> colander.SchemaNode:
    """Return the schema of confirming an email address with the token of a link."""
    return parameters(optional("confirmation_token", Text(0, _RESET_TOKEN), ""))


def forgot_password_form() -> colander.SchemaNode:
    """Return the schema of requesting a reset link."""
    return parameters(required("email", Line(1, MAX_EMAIL)))


def reset_password_form() -> colander.SchemaNode:
    """Return the schema of setting a password with the token of a reset link."""
    return parameters(
        optional("reset_token", Text(0, _RESET_TOKEN), ""),
        required("new_password", Text(1, MAX_LENGTH)),
    )


def client_form() -> colander.SchemaNode:
    """Return the schema of registering an application; each grant type is a check box."""
    return parameters(
        required("name", Line(1, MAX_NAME)),
        required("kind", Choice(_KINDS)),
        optional("redirect_uris", Text(0, _URIS, strip=True), ""),
        *(optional(grant, Text(0, 10), "") for grant in MEMBER_GRANTS),
    )
