"""Data from the source archives of other projects, which are fetched and not stored here."""

import tarfile

from tests import downloads


def read(release: str, member: str) -> str:
    """Return the text of a file in the source archive of a release such as `marko-2.2.4`.

    release: one of `downloads.ARCHIVES`.
    """
    with tarfile.open(downloads.fetched(f"{release}.tar.gz")) as archive:
        file = archive.extractfile(f"{release}/{member}")
        assert file is not None
        return file.read().decode()
