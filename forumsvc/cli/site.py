"""`forumsvc site …`: the name, the texts, the color and the logo of the site, and who signs up."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from .. import clock
from ..media.limits import Limits
from ..models import SITE_FIELDS, SiteField
from ..services import site_texts
from ..services.photos import logos
from ..services.photos.photos import Decoding
from ..services.photos.storage import open_storages
from ..services.site_texts import SiteTexts
from . import avatars
from .command import Group
from .context import Context, pass_context

_FILE = click.Path(exists=True, dir_okay=False, allow_dash=False, path_type=Path)

site = Group("site")


@site.command()
@pass_context
def show(context: Context) -> None:
    """Print what the site shows, and what of it the ini file says."""
    database = context.current_database()
    _output(context, site_texts.read(database.executor, _of_ini(context)))


def _options(command: Any) -> Any:
    """Add an option for each text; a long one is read from a file."""
    for item in reversed(SITE_FIELDS):
        command = click.option(f"--{item.name}", **_kind(item))(command)
    return command


def _kind(item: SiteField) -> dict[str, Any]:
    if item.kind == "choice":
        return {"type": click.Choice([*item.choices])}
    return {"type": _FILE, "metavar": "FILE"} if item.kind == "markdown" else {"metavar": "T"}


@site.command("set")
@_options
@click.option("--logo", type=_FILE, metavar="FILE", help="A PNG, JPEG, GIF or WebP file.")
@click.option(
    "--reset",
    multiple=True,
    type=click.Choice([*(item.name for item in SITE_FIELDS), logos.FIELD]),
    help="As in the ini file again; may be given several times.",
)
@pass_context
def set_(
    context: Context, logo: Path | None, reset: tuple[str, ...], **options: str | Path | None
) -> None:
    """Set texts of the site, which win over the ini file. The long ones are files of Markdown."""
    values = dict.fromkeys(reset, "")
    for name, value in options.items():
        if value is not None:
            values[name] = value.read_text("utf-8") if isinstance(value, Path) else value
    if not values and logo is None:
        raise click.UsageError("Nothing to change: give a text, --logo or --reset.")
    storages, of_ini = open_storages(context.settings, context.ini_dir), _of_ini(context)
    decoding = Decoding(Limits(max_bytes=context.settings["photos.max_bytes"]))
    former = site_texts.read(context.current_database().executor, of_ini).logo
    with ExitStack() as opened:
        image = None
        if logo is not None:
            file = opened.enter_context(logo.open("rb"))
            image = logos.store(storages, decoding, file, None)
        with context.transaction() as db:
            if image is not None:
                values[logos.FIELD] = logos.record(db, storages, image)
            texts = site_texts.edit(db, None, clock.now(), of_ini, values)
    if former is not None and former.stored:
        avatars.remove(context, [former.stored])
    _output(context, texts)


def _of_ini(context: Context) -> SiteTexts:
    return site_texts.from_settings(context.settings, context.ini_dir)


def _output(context: Context, texts: SiteTexts) -> None:
    shown = {item.name: getattr(texts, item.name) for item in SITE_FIELDS}
    shown[logos.FIELD] = "" if texts.logo is None else texts.logo.stored or texts.logo.tag
    lines = [
        f"{name}{'' if name in texts.own else ' (ini)'}: {text or '-'}"
        for name, text in shown.items()
    ]
    context.output("\n".join(lines), **shown, own=sorted(texts.own))
