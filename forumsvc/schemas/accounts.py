"""The forms of a person's own account, on the pages and in the API."""

from ..models import Role
from ..oauth.clients import MAX_NAME, MEMBER_GRANTS
from ..process.passwords import MAX_LENGTH
from ..services.accounts.accounts import MAX_EMAIL
from ..services.accounts.erasure.erasure import PostsErasure
from ..services.accounts.invitees import FIELD as PEOPLE
from ..sessions.users import MAX_USERNAME
from .fields import Choice, Line, Name, Password, Text, optional, parameters, required

_LOGIN = 20
_URIS = 20_000
_PEOPLE = 20_000
_RESET_TOKEN = 200
_KINDS = ("confidential", "public")
REGISTRATION_FORM = parameters(
    required("login", Line(1, _LOGIN)),
    required("email", Line(1, MAX_EMAIL)),
    required("password", Password(1, MAX_LENGTH)),
)
INVITATION_FORM = parameters(
    required(PEOPLE, Text(1, _PEOPLE, strip=True)),
    optional("role", Choice(Role), Role.MEMBER),
)
INVITATION_AGAIN_FORM = parameters(
    required("login", Line(1, _LOGIN)),
    required("email", Line(1, MAX_EMAIL)),
    optional("show_link", Text(0, 10), ""),
)
LOGIN_FORM = parameters(
    required("username", Text(1, MAX_USERNAME, strip=True)),
    required("password", Password(1, MAX_LENGTH)),
)
PASSWORD_FORM = parameters(
    required("current_password", Password(1, MAX_LENGTH)),
    required("new_password", Password(1, MAX_LENGTH)),
)
EMAIL_FORM = parameters(
    required("email", Line(1, MAX_EMAIL)),
    required("current_password", Password(1, MAX_LENGTH)),
)
_POSTS = Choice((PostsErasure.KEEP, PostsErasure.BLANK))
CLOSURE_FORM = parameters(
    required("posts", _POSTS),
    required("password", Password(1, MAX_LENGTH)),
)
"""In the API."""
CLOSURE_PAGE_FORM = parameters(
    required("posts", _POSTS),
    required("current_password", Password(1, MAX_LENGTH)),
)
CONFIRM_EMAIL_FORM = parameters(optional("confirmation_token", Text(0, _RESET_TOKEN), ""))
FORGOT_PASSWORD_FORM = parameters(required("email", Line(1, MAX_EMAIL)))
RESET_PASSWORD_FORM = parameters(
    optional("reset_token", Text(0, _RESET_TOKEN), ""),
    optional("login", Line(0, _LOGIN), ""),
    required("new_password", Password(1, MAX_LENGTH)),
)
CLIENT_FORM = parameters(
    required("name", Name(1, MAX_NAME)),
    required("kind", Choice(_KINDS)),
    optional("redirect_uris", Text(0, _URIS, strip=True), ""),
    *(optional(grant, Text(0, 10), "") for grant in MEMBER_GRANTS),
)
"""Each grant type is a check box."""
