"""`forumsvc work`: the background worker alone."""

import click

from .command import Command
from .context import Context, pass_context

_SECONDS_TO_STOP = 30.0


@click.command(cls=Command)
@pass_context
def work(context: Context) -> None:
    """Run the background worker alone.

    It ends at SIGTERM or SIGINT. The service runs one beside its server already, unless its ini
    file has worker = false in [server:main]. Several may run: each job is done by one of them at
    a time.
    """
    import plaster
    from pyramid.paster import setup_logging

    from ..serving.background import run_until_signal

    setup_logging(str(context.ini_path))
    application = plaster.get_loader(str(context.ini_path), ["wsgi"]).get_wsgi_app()
    run_until_signal(application.background, _SECONDS_TO_STOP)
