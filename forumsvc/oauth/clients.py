"""OAuth clients: registering, listing, authenticating and deleting them."""

import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select
from sqlalchemy.orm import Session

from .. import clock
from ..db.statements import delete_of, insert_or_ignore, update_of
from ..errors import Conflict, Invalid, NotFound
from ..models import OAuthClient, OAuthCode, OAuthToken, User, UserState, state_at
from ..permissions import DEFAULT_SCOPES, Scope
from ..sessions.token_hash import hash_token, new_secret
from ..text.messages import Clause, Message
from ..text.text_rules import blank_error, line_error
from ..text.unicode_forms import without_ignorable
from . import redirects

GRANTS = ("password", "refresh_token", "authorization_code", "client_credentials")
"""Every grant type that the provider supports."""

MEMBER_GRANTS = tuple(grant for grant in GRANTS if grant != "password")
"""The grant types of a client that a member registers: it never receives a password."""

SCOPES = tuple(map(str, Scope))
"""Every scope, in the order in which they are shown."""

BUILTIN_CLIENT = "forumsvc-cli"
"""The client_id of the command line's own client; it has no secret, so nobody can use it."""

EXPLORER_CLIENT = "explorer"
"""The client_id of the API explorer."""

RESERVED = frozenset({BUILTIN_CLIENT, EXPLORER_CLIENT})
MAX_NAME = 100
MAX_ID_LENGTH = 64
MIN_SECRET = 32
"""Characters: secrets are stored as plain SHA-256, so none may be guessable."""
MAX_SECRET = 255
_VSCHARS = re.compile("[ -~]*")
_DUMMY_HASH = hash_token(new_secret())


class NewClient(NamedTuple):
    """The credentials of a new client. This is the only time that the secret is available."""

    client_id: str
    client_secret: str | None


@dataclass(frozen=True, slots=True)
class Client:
    """A registered client.

    id: the primary key; client_id: the public identifier; owner: the login of the member who
    registered it, None for an administrator; is_enabled: False while that member is blocked or
    deleted; introspects: whether it may introspect the tokens of other clients.
    """

    id: int
    client_id: str
    name: str
    public: bool
    grants: tuple[str, ...]
    redirect_uris: tuple[str, ...]
    scopes: tuple[str, ...]
    owner_id: int | None
    owner: str | None
    is_enabled: bool
    introspects: bool
    created_at: datetime


_COLUMNS: tuple[Any, ...] = (
    OAuthClient.id,
    OAuthClient.client_id,
    OAuthClient.name,
    OAuthClient.public,
    OAuthClient.grants,
    OAuthClient.redirect_uris,
    OAuthClient.scopes,
    OAuthClient.owner_id,
    User.login.label("owner"),
    User.state.label("owner_state"),
    User.blocked_until.label("owner_blocked_until"),
    OAuthClient.introspects,
    OAuthClient.created_at,
    OAuthClient.secret_hash,
)
_CLIENTS = select(*_COLUMNS).select_from(OAuthClient).outerjoin(User)


def create(
    db: Session,
    name: str,
    *,
    grants: Iterable[str],
    redirect_uris: Iterable[str] = (),
    scopes: Iterable[str] = DEFAULT_SCOPES,
    public: bool = False,
    owner_id: int | None = None,
    introspects: bool = False,
    client_id: str | None = None,
    client_secret: str | None = None,
) -> NewClient:
    """Register a client.

    public: whether it cannot keep a secret, and gets none; owner_id: the member who registers it,
    None for an administrator; introspects: whether it may introspect the tokens of other clients;
    client_id, client_secret: the credentials of an application that is already distributed, None
    to generate them. Raises Invalid for a value that such a client cannot have, and Conflict for a
    client_id that is taken or reserved.
    """
    known = GRANTS if owner_id is None else MEMBER_GRANTS
    chosen, uris = _validated_choices("grants", grants, known), list(dict.fromkeys(redirect_uris))
    name = _check_name(name)
    if public and introspects:
        raise Invalid("introspect", Clause("a public client cannot introspect: it has no secret"))
    if public and "client_credentials" in chosen:
        raise Invalid(
            "grants", Clause("a public client cannot use client_credentials: it has no secret")
        )
    for uri in uris:
        if reason := redirects.validation_error(uri):
            raise Invalid("redirect_uri", Clause("%(uri)r %(reason)s", uri=uri, reason=reason))
    identifier = secrets.token_hex(16) if client_id is None else _check_id(client_id)
    secret = None if public else client_secret or new_secret()
    _check_secret(client_secret, public)
    added = insert_or_ignore(
        db,
        OAuthClient,
        client_id=identifier,
        secret_hash=None if secret is None else hash_token(secret),
        public=public,
        name=name,
        owner_id=owner_id,
        grants=" ".join(chosen),
        redirect_uris=" ".join(uris),
        scopes=" ".join(_validated_choices("scopes", scopes, SCOPES)),
        introspects=introspects,
        created_at=clock.now(),
    )
    if not added:
        raise Conflict(f"The client identifier {identifier!r} is taken.")
    return NewClient(identifier, secret)


def put(db: Session, client_id: str, **values: Any) -> None:
    """Register a client that the service brings along, or update its row. values: of columns."""
    insert_or_ignore(db, OAuthClient, client_id=client_id, created_at=clock.now(), **values)
    db.execute(update_of(OAuthClient).where(OAuthClient.client_id == client_id).values(values))


def _check_id(client_id: str) -> str:
    """Return a given client_id if it is valid (RFC 6749 Appendix A.1: characters 0x20 to 0x7E).

    It is also a segment of the paths of pages. Raises Invalid, and Conflict if it is reserved.
    """
    if not 0 < len(client_id) <= MAX_ID_LENGTH:
        raise Invalid("id", f"must have 1 to {MAX_ID_LENGTH} characters")
    if not _VSCHARS.fullmatch(client_id) or client_id != client_id.strip():
        raise Invalid("id", "must be of printable ASCII characters, with no blank at either end")
    if "/" in client_id or client_id in (".", ".."):
        raise Invalid("id", "must not contain '/', nor be '.' or '..'")
    if client_id in RESERVED:
        raise Conflict(f"The client identifier {client_id!r} is the service's own.")
    return client_id


def _check_secret(secret: str | None, public: bool) -> None:
    """Raise Invalid if a given secret is not allowed (RFC 6749 Appendix A.2)."""
    if secret is None:
        return
    if public:
        raise Invalid("secret", Clause("a public client has none"))
    if not MIN_SECRET <= len(secret) <= MAX_SECRET:
        raise Invalid("secret", f"must have {MIN_SECRET} to {MAX_SECRET} characters")
    if not _VSCHARS.fullmatch(secret):
        raise Invalid("secret", "must be of printable ASCII characters")


def _check_name(name: str) -> str:
    """Return a name without the invisible characters that change nothing. Raises Invalid."""
    name = name.strip()
    if not 0 < len(name) <= MAX_NAME:
        raise Invalid(
            "name", Message("must have %(least)d to %(most)d characters", least=1, most=MAX_NAME)
        )
    if error := blank_error(name, required=True) or line_error(name):
        raise Invalid("name", error)
    return without_ignorable(name).strip()


def _validated_choices(field: str, values: Iterable[str], known: tuple[str, ...]) -> list[str]:
    chosen = set(values)
    if unknown := sorted(chosen - set(known)):
        raise Invalid(field, f"{unknown[0]!r} is none of {', '.join(known)}")
    if not chosen:
        raise Invalid(field, f"must name at least one of {', '.join(known)}")
    return [value for value in known if value in chosen]


def list_clients(db: Session | Connection, *, owner_id: int | None = None) -> list[Client]:
    """Return the clients, oldest first; with `owner_id`, only those of that member."""
    query = _CLIENTS.order_by(OAuthClient.id)
    if owner_id is not None:
        query = query.where(OAuthClient.owner_id == owner_id)
    return [_client_of_row(row) for row in db.execute(query)]


def find(db: Session | Connection, client_id: str) -> Client | None:
    """Return the client with this client_id, or None."""
    row = _find_row(db, client_id)
    return None if row is None else _client_of_row(row)


def authenticate(
    db: Session | Connection, client_id: str | None, client_secret: str | None
) -> Client | None:
    """Return the client if its credentials are right, or None.

    A public client cannot be authenticated: it sends its client_id and no secret.
    """
    row = None if client_id is None else _find_row(db, client_id)
    stored = _DUMMY_HASH if row is None or row.secret_hash is None else row.secret_hash
    is_right = hmac.compare_digest(hash_token(client_secret or ""), stored)
    if row is None or (client_secret is not None if row.public else not is_right):
        return None
    return _client_of_row(row)


def rotate_secret(db: Session, client_id: str) -> str:
    """Replace a client's secret and return the new one; the old one stops working at once.

    Raises NotFound if there is no such client, and Invalid if it is public.
    """
    client = find(db, client_id)
    if client is None:
        raise NotFound("There is no such client.")
    if client.public:
        raise Invalid("client_id", Clause("a public client has no secret"))
    secret = new_secret()
    db.execute(
        update_of(OAuthClient)
        .where(OAuthClient.id == client.id)
        .values(secret_hash=hash_token(secret))
    )
    return secret


def delete(db: Session, client_id: str) -> None:
    """Delete a client with its tokens and codes. Raises NotFound if there is no such client."""
    # A token that is being issued waits for this lock, and then finds no client.
    lock = select(OAuthClient.id).where(OAuthClient.client_id == client_id).with_for_update()
    row_id = db.execute(lock).scalar_one_or_none()
    if row_id is None:
        raise NotFound("There is no such client.")
    for model, matches in (
        (OAuthToken, OAuthToken.client_id == row_id),
        (OAuthCode, OAuthCode.client_id == row_id),
        (OAuthClient, OAuthClient.id == row_id),
    ):
        db.execute(delete_of(model).where(matches))


def _find_row(db: Session | Connection, client_id: str) -> Row[Any] | None:
    return db.execute(_CLIENTS.where(OAuthClient.client_id == client_id)).first()


def _client_of_row(row: Row[Any]) -> Client:
    # During an upgrade an older version may still register a member's client with any grant type.
    known = GRANTS if row.owner_id is None else MEMBER_GRANTS
    return Client(
        row.id,
        row.client_id,
        row.name,
        row.public,
        tuple(grant for grant in row.grants.split() if grant in known),
        tuple(row.redirect_uris.split()),
        tuple(row.scopes.split()),
        row.owner_id,
        row.owner,
        row.owner_id is None
        or state_at(row.owner_state, row.owner_blocked_until, clock.now()) == UserState.ACTIVE,
        row.introspects,
        row.created_at,
    )
