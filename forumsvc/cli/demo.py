"""`forumsvc demo`: fills a database with a community to try the forum with."""

import secrets

import click
from sqlalchemy import exists, select

from ..demo import ADMIN_LOGIN, DEMO_LOGIN, LANGUAGES, load
from ..errors import Conflict
from ..markup import Renderer
from ..models import User
from ..oauth import clients
from ..process.passwords import hash_password, verify_password
from ..sessions.token_hash import hash_token
from .client import DEFAULT_GRANTS
from .command import Command
from .context import Context, pass_context
from .options import yes_option

CLIENT_ID = "demo"
# Public values, so that the printed commands can be pasted.
CLIENT_SECRET = "demo-secret"  # noqa: S105 - told to everybody
PASSWORD = "demo-password"  # noqa: S105 - told to everybody


@click.command(cls=Command)
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default=LANGUAGES[0],
    show_default=True,
    help="Of the posts.",
)
@click.option("--if-empty", is_flag=True, help="Do nothing where there are users already.")
@yes_option
@pass_context
def demo(context: Context, language: str, if_empty: bool, yes: bool) -> None:
    """Fill a database without users with a demo community."""
    # A public password is acceptable in development only.
    is_development = context.settings["site.environment"] == "development"
    with context.current_database().reads.connect() as db:
        has_users = db.scalar(select(exists().where(User.id.is_not(None))))
    if has_users and not if_empty:
        raise Conflict("There are users in the database already; a demo is for one without.")
    if has_users:
        lines = ["There are users in the database already: nothing was added."]
        lines += _next_steps(context) if is_development else []
        context.output("\n".join(lines), users=0, topics=0, replies=0)
        return
    if not is_development:
        context.confirm(
            f"This is production ({context.site_url}): invented users with topics and replies "
            "would be added, and no command removes them again.",
            yes=yes,
        )
    password = PASSWORD if is_development else secrets.token_urlsafe(12)
    client_secret = CLIENT_SECRET if is_development else secrets.token_urlsafe(32)
    # Before the users: if loading them fails, the command can be repeated.
    with context.transaction() as db:
        clients.put(
            db,
            CLIENT_ID,
            secret_hash=hash_token(client_secret),
            public=False,
            name="Demo",
            grants=" ".join(DEFAULT_GRANTS),
            redirect_uris="http://127.0.0.1/callback",
            scopes=" ".join(clients.SCOPES),
        )
    counts = load(
        context.database,
        language=language,
        password_hash=hash_password(password),
        renderer=Renderer(workers=0, site_url=context.settings["site.url"]),
        user_url=context.settings["site.user_url"],
    )
    lines = [f"{many:>9} {name.replace('_', ' ')}" for name, many in counts.items()]
    lines += (
        _next_steps(context)
        if is_development
        else [_login_instructions(context, password, client_secret)]
    )
    context.output(
        "\n".join(lines),
        **counts,
        login=DEMO_LOGIN,
        password=password,
        client_id=CLIENT_ID,
        client_secret=client_secret,
    )


def _next_steps(context: Context) -> list[str]:
    """Return lines with commands to try; how to log in only if the demo's password is valid."""
    site = context.site_url
    lines = ["Once it is served:"]
    if context.settings["pages.forum"]:
        lines.append(f"  {site}/ is the forum: read, search, write; in English and Chinese")
    if context.settings["docs.enabled"]:
        lines.append(f"  {site}/docs is the explorer of the API, {site}/docs/guide the guide")
    lines.append(f"curl '{site}/api/v3/topics?limit=3'")
    with context.current_database().reads.connect() as db:
        stored = db.scalar(select(User.password_hash).where(User.login_key == DEMO_LOGIN))
    if verify_password(stored, PASSWORD):
        lines.append(_login_instructions(context, PASSWORD, CLIENT_SECRET))
    return lines


def _login_instructions(context: Context, password: str, client_secret: str) -> str:
    return (
        f"Log in as {DEMO_LOGIN}, or as {ADMIN_LOGIN} (an admin), password {password}, in the "
        "browser or with:\n"
        f"curl {context.site_url}/oauth/token -d grant_type=password -d username={DEMO_LOGIN} "
        f"-d password={password} -d client_id={CLIENT_ID} -d client_secret={client_secret}"
    )
