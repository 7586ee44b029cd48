"""`forumsvc user edit`, `export`, `erase` and `password-link`."""

import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click
from sqlalchemy import Row

from .. import clock
from ..db.execution import SqlConnection
from ..errors import Conflict
from ..models import AdminAction, MailKind
from ..process.files import sync_folder
from ..queries import accounts as reading
from ..services import mails
from ..services.accounts import accounts, admin_edit, data_export, password_reset
from ..services.accounts.erasure import erasure
from ..services.accounts.erasure.erasure import PostsErasure
from ..services.moderation import actions
from ..services.moderation.actions import Action
from ..services.photos.storage import PhotoStorages, open_storages
from .command import Command
from .context import CommandError, Context, pass_context
from .options import check_texts, logins_argument, one_of, yes_option


@click.command(cls=Command)
@click.argument("login")
@click.option("--login", "new_login", metavar="NEW", help="The new login; the former one is free.")
@click.option("--name", metavar="N", help="What is shown in place of the login; may be empty.")
@click.option("--email", metavar="E", help="The new email address, which counts as confirmed.")
@pass_context
def edit(
    context: Context, login: str, new_login: str | None, name: str | None, email: str | None
) -> None:
    """Change the login, the name or the email address of a user.

    With a new login the background worker gives the links of mentions the new address; texts stay
    as they are written. The former email address is told of a new one.
    """
    if new_login is None and name is None and email is None:
        raise click.UsageError("One of --login, --name and --email is needed.")
    with context.transaction() as db:
        changed = admin_edit.edit(
            db, clock.now(), login, new_login=new_login, name=name, email=email
        )
    context.output(f"{changed.login} is changed.", id=changed.id, login=changed.login)


@click.command(cls=Command)
@click.argument("login")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@pass_context
def export(context: Context, login: str, file: Path) -> None:
    """Write all that is kept of a user into FILE, a ZIP that only its owner can read.

    A file that is there is refused; `-` is the standard output.
    """
    storages = open_storages(context.settings, context.ini_dir)
    if file.exists():
        raise CommandError(f"{file} is there already.")
    with context.current_database().reads.connect() as db:
        account = accounts.find(db, login)
        if str(file) == "-":
            data_export.write_export(db, account.id, sys.stdout.buffer, storages)
        else:
            _write_file(db, account.id, file, storages)
    with context.transaction() as session:
        actions.record(session, Action(AdminAction.USER_EXPORTED, None, clock.now(), account.id))
    if str(file) == "-":
        return
    context.output(
        f"{file} has what is kept of {account.login}.", login=account.login, file=str(file)
    )


def _write_file(db: SqlConnection, user_id: int, file: Path, storages: PhotoStorages) -> None:
    part = file.with_name(f"{file.name}.part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise CommandError(f"{part} is there: unless an export writes it, delete it.") from None
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error}") from None
    try:
        with os.fdopen(handle, "wb") as written:
            data_export.write_export(db, user_id, written, storages)
            written.flush()
            os.fsync(written.fileno())
        part.rename(file)
        sync_folder(file.resolve().parent)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise CommandError(f"{file} cannot be written: {error}") from None
        raise


@click.command(cls=Command)
@logins_argument
@click.option(
    "--posts",
    type=one_of(PostsErasure),
    required=True,
    help="Keep the posts as of deleted-ID, put a fixed line in their place, or delete them.",
)
@click.option("--reason", metavar="R", default="", help="Why, for the log.")
@yes_option
@pass_context
def erase(context: Context, logins: tuple[str, ...], posts: str, reason: str, yes: bool) -> None:
    """Erase people: all that is theirs or names them, with their photos.

    If one of them cannot be erased, nobody is. The account is gone at once, the background worker
    does the rest.
    """
    reason, _ = check_texts(reason, is_required=False)
    with context.current_database().reads.connect() as db:
        people = [reading.details(db, accounts.find(db, login).id, clock.now()) for login in logins]
    context.confirm("\n".join(_lost(item, posts) for item in people), yes=yes)
    secret = context.settings["session.secret"]
    with context.transaction() as db:
        for user_id in sorted({item.id for item in people}):
            erasure.erase_user(
                *(db, None, clock.now(), user_id),
                posts=PostsErasure(posts),
                secret=secret,
                reason=reason or None,
            )
    erased = {item.login: erasure.login_of_erased(item.id) for item in people}
    lines = [f"{login} is {new} now." for login, new in erased.items()]
    context.output(
        "\n".join([*lines, "The background worker removes the rest."]), erased=erased, posts=posts
    )


@click.command("password-link", cls=Command)
@click.argument("login")
@click.option("--mail", is_flag=True, help="Send it to the user's address; do not print it.")
@pass_context
def password_link(context: Context, login: str, mail: bool) -> None:
    """Print or send a link with which a user sets a password, within an hour and once."""
    settings, now = context.settings, clock.now()
    if mail and settings["mail.delivery"] == "none":
        raise CommandError("mail.delivery is none: the service sends no email.")
    page = f"{context.site_url}/password/reset"
    with context.transaction() as db:
        account = password_reset.find_by_id(db, accounts.find(db, login).id)
        if account is None:
            raise Conflict(
                f"{login} is deleted or has no email address, which the link needs: "
                "set one first (forumsvc user edit LOGIN --email E)."
            )
        if mail:
            data = {"url": page, "language": settings["site.language"]}
            kind, user_id = MailKind.PASSWORD_RESET, account.id
            mails.enqueue(db, kind, account.email, now, user_id=user_id, data=data)
        details = {"mailed": mail}
        actions.record(
            db, Action(AdminAction.USER_PASSWORD_LINK, None, now, account.id, details=details)
        )
    if mail:
        context.output(f"{account.login} gets the link by email.", login=account.login)
        return
    token = password_reset.create_reset_token(settings["session.secret"], account, now)
    link = f"{page}?{urlencode({'reset_token': token})}"
    context.output(link, login=account.login, link=link)


def _lost(user: Row[Any], posts: str) -> str:
    return (
        f"Erasing {user.login} (user {user.id}, {user.role}) cannot be undone. The account, "
        "photos, likes, follows, favorites, notifications and mentions go. Their "
        f"{user.topics_count} topics and {user.replies_count} replies: {posts}."
    )
