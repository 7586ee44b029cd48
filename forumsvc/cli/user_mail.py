"""`forumsvc user mail`: what a user gets by email."""

import click

from ..services.accounts import accounts
from ..services.notifications import mail_choices
from .command import Command
from .context import Context, pass_context


@click.command("mail", cls=Command)
@click.argument("login")
@pass_context
def mail(context: Context, login: str) -> None:
    """Show of what a user gets emails."""
    database = context.current_database()
    with database.reads.connect() as db:
        user_id = accounts.find(db, login).id
        shown = mail_choices.details(db, context.settings, user_id)
    context.output_details(shown)
