#!/bin/sh
# Backs up the database, then the photos: backup.sh FOLDER KEEP DATABASE [PHOTOS]
#
# FOLDER: where the backups lie, one folder each, named by its UTC time; KEEP: how many stay;
# DATABASE: an SQLite file, or the URL of PostgreSQL for pg_dump; PHOTOS: photos.dir.
# A backup that is not whole has a name that ends in .part, and is removed by the next run.
# Copy FOLDER to another machine. docs/operators/backup.md says how to restore.

set -eu
umask 077

folder=$1 keep=$2 database=$3 photos=${4:-}
name=$(date -u +%Y-%m-%dT%H%M%SZ)
part=$folder/$name.part

mkdir -p "$folder"
rm -rf "$folder"/*.part
mkdir "$part"
case $database in
postgres*://*)
    pg_dump --format=custom --file="$part/forum.dump" "$database"
    ;;
*)
    test -f "$database"
    python3 - "$database" "$part/forum.sqlite" <<'END'
import sqlite3
import sys

source, target = sqlite3.connect(sys.argv[1]), sqlite3.connect(sys.argv[2])
source.backup(target)
assert target.execute("PRAGMA quick_check").fetchone() == ("ok",)
END
    ;;
esac
# Files of photos never change, so those of the backup before are linked and not copied.
if [ -n "$photos" ]; then
    last=$(find "$folder" -mindepth 1 -maxdepth 1 -type d -name '*Z' | sort | tail -n 1)
    if [ -n "$last" ] && [ -d "$last/photos" ]; then
        cp -al "$last/photos" "$part/photos"
    fi
    mkdir -p "$part/photos"
    cp -an "$photos/." "$part/photos/"
fi
mv "$part" "$folder/$name"
find "$folder" -mindepth 1 -maxdepth 1 -type d -name '*Z' | sort -r | tail -n "+$((keep + 1))" |
    while read -r old; do rm -rf "$old"; done
echo "$folder/$name"
