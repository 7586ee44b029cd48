"""Writing an export: a ZIP of all that the forum keeps of one person.

It is written from the beginning to the end, so that the file may be a stream, and in parts, so that
the memory it takes does not grow with what the person wrote.
"""

import json
import zipfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import datetime
from typing import Any, BinaryIO

import orjson

from ... import clock
from ...db.execution import SqlConnection
from ...errors import NotFound
from ...models.declarations import Export
from ...queries import personal_data
from ..photos.storage import PhotoStorages

_COPY_BYTES = 64 << 10
_README_TEXT = """\
Your data from this forum
=========================

{files}

Each file is JSON in UTF-8: a list, or in profile.json one object. Times are in UTC. Texts of other
people are not in it: their posts are named by their ids. Passwords, tokens and keys are not in it
either: the forum keeps hashes of them, which open nothing. Deleted texts are in it as long as the
forum keeps them.

你在本论坛的数据
================

以上文件均为 UTF-8 编码的 JSON，时间为 UTC。其中有你的{first}、
{others}和{last}。
其他人的内容只以编号出现；密码、令牌和密钥不在其中。
"""  # noqa: RUF001 - Chinese


def _readme(exports: Sequence[Export]) -> str:
    lines = [f"{f'{one.file}.json':23} {one.english}".rstrip() for one in exports]
    words = list(dict.fromkeys(export.chinese for export in exports))
    return _README_TEXT.format(
        files="\n".join(lines),
        first="、".join(words[:3]),
        others="、".join(words[3:-1]),
        last=words[-1],
    )


_README = _readme(personal_data.EXPORTS)


def write_export(db: SqlConnection, user_id: int, file: BinaryIO, storages: PhotoStorages) -> None:
    """Write a ZIP with all that the forum keeps of a user.

    db: only read, best a connection in AUTOCOMMIT, for it takes a while; user_id: of a user who is
    there; file: needs nothing but `write` and `flush`, and stays open; storages: of the photos.
    Raises sqlalchemy.exc.NoResultFound without such a user; OSError where a photo cannot be read,
    and what `file.write` raises. A photo whose file is gone is left out.
    """
    now = clock.now()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_member("README.txt", now), _README)
        account = _shown(personal_data.account(db, user_id))
        archive.writestr(_member("profile.json", now), _json(account))
        for name, part in personal_data.PARTS.items():
            rows = personal_data.rows_of(db, part, user_id)
            _write_list(archive, _member(f"{name}.json", now), map(_shown, rows))
        missing = _write_photos(archive, db, user_id, storages)
        photos = personal_data.rows_of(db, personal_data.PHOTOS, user_id)
        listed = (_shown_photo(row, missing) for row in photos)
        _write_list(archive, _member("photos.json", now), listed)


def _write_photos(
    archive: zipfile.ZipFile, db: SqlConnection, user_id: int, storages: PhotoStorages
) -> set[str]:
    """Write the files of the photos; return the names of those that are gone."""
    missing: set[str] = set()
    for row in personal_data.rows_of(db, personal_data.PHOTOS, user_id):
        name = row["name"]
        try:
            image = storages.open(db, name)
        except NotFound:
            missing.add(name)
            continue
        # An image is compressed already.
        member = _member(_file_of(name), row["created_at"], zipfile.ZIP_STORED)
        with closing(image), archive.open(member, "w") as target:
            while chunk := image.read(_COPY_BYTES):
                target.write(chunk)
    return missing


def _write_list(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, rows: Iterable[dict[str, Any]]
) -> None:
    with archive.open(member, "w") as target:
        separator = b"[\n"
        for row in rows:
            target.write(separator + _json(row))
            separator = b",\n"
        target.write(b"[]\n" if separator == b"[\n" else b"\n]\n")


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as it is in the file: times as text, details as an object."""
    shown = {
        name: clock.rfc3339(value) if isinstance(value, datetime) else value
        for name, value in row.items()
    }
    if shown.get("details") is not None:
        details = json.loads(shown["details"])
        # It may be that of somebody else's topic.
        details.pop("title", None)
        shown["details"] = details
    return shown


def _shown_photo(row: dict[str, Any], missing: set[str]) -> dict[str, Any]:
    name = row.pop("name")
    return {**_shown(row), "file": None if name in missing else _file_of(name)}


def _file_of(name: str) -> str:
    return f"photos/{name.rpartition('/')[2]}"


def _member(
    name: str, moment: datetime, compression: int = zipfile.ZIP_DEFLATED
) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, moment.timetuple()[:6])
    member.compress_type = compression
    member.external_attr = 0o600 << 16
    return member


def _json(value: dict[str, Any]) -> bytes:
    return orjson.dumps(value)
