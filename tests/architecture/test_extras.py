"""Without the packages of the extras everything is imported that does not need them."""

import subprocess
import sys

IMPORT_ALL = """
import importlib, pkgutil, sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"psycopg", "redis", "boto3", "botocore"}:
            raise ModuleNotFoundError(name=name)

sys.meta_path.insert(0, Hidden())
import forumsvc
for module in pkgutil.walk_packages(forumsvc.__path__, "forumsvc."):
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError:
        print(module.name)
"""
NEED_THEM = {
    *("forumsvc.db.connect", "forumsvc.db.grants", "forumsvc.db.libpq_statements"),
    "forumsvc.web.limits.redis_counts",
}


def test_only_what_talks_to_postgresql_redis_and_s3_needs_their_packages():
    command = [sys.executable, "-c", IMPORT_ALL]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert {*done.stdout.split()} == NEED_THEM
