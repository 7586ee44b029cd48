"""A wheel contains the whole service, including what is outside the package in a checkout."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from forumsvc.cli.config import EXAMPLES

ROOT = Path(__file__).parents[2]
CODE = {".py", ".pyc"}
EXTRAS = {"psycopg", "redis", "boto3", "botocore"}
INI = """
[app:main]
use = egg:forumsvc
site.environment = development
sqlalchemy.url = sqlite:///%(here)s/var/forum.sqlite
session.secret = a secret of the tests, long enough for everybody
"""
WITHOUT_EXTRAS = f"""
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""
SERVE = """
import sys
from pyramid.paster import get_app
from webob import Request

app = get_app("forum.ini")
print(*(Request.blank(path).get_response(app).status_int for path in sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout's source distribution, unpacked like pip does."""
    source = tmp_path_factory.mktemp("source")
    for name in ("forumsvc", "alembic", "deploy"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=ignored, symlinks=True)
    for path in ROOT.iterdir():
        if path.is_file() and not path.name.startswith("."):
            shutil.copy(path, source)
    target = tmp_path_factory.mktemp("wheel")
    pack = ["-m", "build", "--sdist", "--no-isolation", "--outdir"]
    subprocess.run([sys.executable, *pack, target, source], check=True, stdout=subprocess.DEVNULL)
    [packed] = target.glob("*.tar.gz")
    build = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w"]
    subprocess.run([sys.executable, *build, target, packed], check=True)
    [wheel] = target.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target / "site")
    return target / "site"


def python(site: Path, folder: Path, *words: str) -> str:
    """Run Python with the unpacked wheel, without the checkout and the packages of the extras."""
    (folder / "forum.ini").write_text(INI)
    (folder / "sitecustomize.py").write_text(WITHOUT_EXTRAS)
    done = subprocess.run(
        [sys.executable, "-P", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{folder}:{site}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def forumsvc(site: Path, folder: Path, *words: str) -> str:
    """Run the command of the unpacked wheel."""
    return python(site, folder, "-m", "forumsvc.cli", "-c", "forum.ini", *words)


def test_the_wheel_sets_up_a_database_by_itself(installed, tmp_path):
    forumsvc(installed, tmp_path, "db", "upgrade")
    assert '"id": 1' in forumsvc(installed, tmp_path, "--json", "node", "add", "General")
    assert '"login": "demo"' in forumsvc(installed, tmp_path, "--json", "demo")


def test_the_wheel_alone_serves_searches_and_backs_up_a_forum_on_sqlite(installed, tmp_path):
    for words in (("db", "upgrade"), ("demo",), ("search", "reindex"), ("backup", "a.tar")):
        forumsvc(installed, tmp_path, *words)
    paths = ("/health", "/api/v3/topics", "/api/v3/search/topics?q=garden", "/")
    assert python(installed, tmp_path, "-c", SERVE, *paths).split() == ["200"] * len(paths)


def test_the_wheel_carries_the_files_that_an_installation_begins_with(installed, tmp_path):
    forumsvc(installed, tmp_path, "config", "init", "new.ini")
    assert "use = egg:forumsvc" in (tmp_path / "new.ini").read_text()
    for name in EXAMPLES:
        assert forumsvc(installed, tmp_path, "config", "print", name)
    assert (installed / "forumsvc" / "py.typed").is_file()


def test_the_description_of_the_wheel_links_to_no_file_of_the_repository(installed):
    [metadata] = installed.glob("forumsvc-*.dist-info/METADATA")
    text = metadata.read_text()
    assert "A community forum as a JSON HTTP service" in text
    assert "](http" in text
    assert not re.findall(r"\]\((?!https?://).*?\)", text)


def test_the_wheel_carries_every_migration_and_nothing_that_shadows_alembic(installed):
    here = {path.name for path in (ROOT / "alembic" / "versions").glob("*.py")}
    there = installed / "forumsvc" / "migrations" / "versions"
    assert {path.name for path in there.glob("*.py")} == here
    assert not (installed / "alembic").exists()
    assert not (ROOT / "alembic" / "__init__.py").exists()


def test_the_wheel_carries_every_file_of_the_description(installed):
    there = {path.relative_to(installed) for path in installed.rglob("forumsvc/openapi/**/*.yaml")}
    here = {path.relative_to(ROOT) for path in (ROOT / "forumsvc" / "openapi").rglob("*.yaml")}
    assert here
    assert there == here


def test_the_wheel_carries_all_that_the_pages_load(installed):
    def files(root: Path) -> set[Path]:
        pages = root / "forumsvc" / "pages"
        found = (path for path in pages.rglob("*") if path.is_file() and path.suffix not in CODE)
        return {path.relative_to(root) for path in found}

    assert Path("forumsvc/pages/docs/files/swagger_ui/LICENSE") in files(installed)
    assert files(installed) == files(ROOT)
