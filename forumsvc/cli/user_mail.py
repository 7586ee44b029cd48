"""`forumsvc user mail`: what a user gets by email."""

import click

from ..services.accounts import accounts
from ..services.notifications import mail_choices, refusals
from .command import Command
from .context import Context, pass_context


@click.command("mail", cls=Command)
@click.argument("login")
@click.option("--resume", is_flag=True, help="Send to the address again, which was refused.")
@pass_context
def mail(context: Context, login: str, resume: bool) -> None:
    """Show of what a user gets emails, and since when their mail server has refused them."""
    if resume:
        with context.transaction() as session:
            refusals.forget(session, accounts.find(session, login).id)
    with context.current_database().reads.connect() as db:
        user_id = accounts.find(db, login).id
        shown = mail_choices.details(db, context.settings, user_id)
    context.output_details(shown)
