"""What is examined."""

from dataclasses import dataclass
from pathlib import Path

from ..db.engine import Database
from ..serving.options import Options
from ..settings import Settings


@dataclass(frozen=True, slots=True)
class Installation:
    """The service on this host.

    ini: the ini file, an absolute path; options: of `[server:main]`, None if they are invalid or
    another server is used; deep: whether to make the checks that may take minutes.
    """

    ini: Path
    settings: Settings
    options: Options | None
    database: Database
    deep: bool = False
