"""A dump or a load that kills itself: `python -m tests.system.killed_dump WHAT URL PATH TABLE`.

WHAT: dump, tar or load. It does so when TABLE is done, by SIGKILL, so that nothing is cleaned up.
"""

import os
import signal
import sys
from pathlib import Path

from forumsvc.cache.database import open_database
from forumsvc.dump import Archive, load_dump, row_writer, write_dump, write_tar


def main() -> None:
    """Run until the table is done."""
    what, url, path, last = sys.argv[1:]

    def progress(table: str) -> None:
        if table == last:
            os.kill(os.getpid(), signal.SIGKILL)

    database = open_database(url)
    if what == "load":
        row_writer.CACHE_KB = 20  # so that SQLite's file has rows before the end
        load_dump(database, Archive(Path(path)), trust_html=True, progress=progress)
    else:
        write = write_tar if what == "tar" else write_dump
        write(database, Path(path), secrets=True, progress=progress)


if __name__ == "__main__":
    main()
