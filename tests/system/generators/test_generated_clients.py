"""Clients that generators make of the description: checked by their compilers, and run."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from PIL import Image

from tests import downloads
from tests.programs import require
from tests.system.guide.demo import demo_service
from tests.system.oauth.service import PASSWORD, Service
from tests.system.process import PATIENCE

HERE = Path(__file__).parent


def run(*command: str | Path, folder: Path) -> str:
    """Run a program in a folder and return its output; fail with all that it says."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=folder,
        env={
            **os.environ,
            "PATH": downloads.node_environment()["PATH"],
            "PYTHONPATH": f"{folder}{os.pathsep}{folder / 'python'}",
            "CI": "true",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    return done.stdout


def npm(program: str, *arguments: str | Path, folder: Path) -> str:
    return run(
        downloads.NODE, folder / "node_modules" / ".bin" / program, *arguments, folder=folder
    )


@pytest.fixture(scope="module", params=["bare", "keyed"])
def shape(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(scope="module")
def forum(shape: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with demo_service(tmp_path_factory.mktemp(shape), api__envelope=shape) as running:
        yield running


@pytest.fixture(scope="module")
def folder(shape: str, forum: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the description of the service and what the generators need."""
    made = tmp_path_factory.mktemp("clients")
    sources = ("npm/*.ts", "npm/tsconfig.json", "npm/redocly.yaml", "npm/.spectral.yaml")
    for file in [one for pattern in (*sources, "python_*.py") for one in HERE.glob(pattern)]:
        shutil.copy(file, made)
    shutil.copy(HERE / "npm" / f"shape-{shape}.ts", made / "shape.ts")
    packages = downloads.fetched("npm-generators") / "node_modules"
    (made / "node_modules").symlink_to(packages, target_is_directory=True)
    answer = requests.get(f"{forum.url}/api/v3/openapi.json?webhooks=false", timeout=PATIENCE)
    (made / "openapi.json").write_bytes(answer.content)
    Image.new("RGB", (8, 8), "teal").save(made / "picture.png")
    return made


def openapi_generator(name: str, *, folder: Path) -> None:
    """Make a client with OpenAPI Generator, in a folder of the same name."""
    require("java")
    program = Path(sys.executable).parent / "openapi-generator-cli"
    run(program, "generate", "-i", "openapi.json", "-g", name, "-o", name, folder=folder)


@pytest.fixture(scope="module")
def token(forum: Service) -> str:
    """The token of a reader who was mentioned in a topic."""
    reader, writer = (person(forum, login) for login in ("reader", "writer"))
    node = call(forum, writer, "GET", "nodes")[0]["id"]
    form = {"title": "News", "body": "@reader, look!", "node_id": node}
    call(forum, writer, "POST", "topics", form)
    return reader


def person(forum: Service, login: str) -> str:
    """Add a user, and return their token."""
    forum.person(login)
    client = forum.client("generated")
    credentials = {"client_id": client.client_id, "client_secret": client.client_secret}
    form = {"grant_type": "password", "username": login, "password": PASSWORD, **credentials}
    given: str = forum.post("token", **form, scope="read write").json()["access_token"]
    return given


def call(forum: Service, token: str, method: str, path: str, form: Any = None) -> Any:
    """Call the API, and return what the answer of either shape is about."""
    headers = {"Authorization": f"Bearer {token}"}
    url = f"{forum.url}/api/v3/{path}"
    answer = requests.request(method, url, json=form, headers=headers, timeout=PATIENCE)
    assert answer.ok, answer.text
    found = answer.json()
    return found.get(path, found) if isinstance(found, dict) else found


def check(printed: str) -> None:
    """Compare what a client reports with what the calls had to do."""
    done = json.loads(printed.splitlines()[-1])
    assert "/photos/" in done.pop("photo")
    assert done == {
        "listed": 2,
        "title": "Edited",
        "reply": "It replies.",
        "liked": True,
        "mention": True,
        "missing": 404,
        "wrong": 400,
    }


def test_typescript_clients_are_right_for_their_compiler_and_run(folder, forum, token):
    openapi_generator("typescript-fetch", folder=folder)
    npm("openapi-ts", "-i", "openapi.json", "-o", "hey-api", folder=folder)
    npm("openapi-typescript", "openapi.json", "-o", "openapi-typescript-schema.ts", folder=folder)
    npm("orval", "--config", "orval.config.ts", folder=folder)
    npm("tsc", "-p", ".", folder=folder)
    for name in ("typescript-fetch", "openapi-typescript", "hey-api", "orval"):
        check(run(downloads.NODE, f"js/{name}.js", token, forum.url, folder=folder))


def test_the_python_client_is_right_for_mypy_and_runs(folder, forum, token):
    # That of openapi-python-client is run by the guide.
    openapi_generator("python", folder=folder)
    options = ("--no-incremental", "--ignore-missing-imports", "--config-file=")
    run(sys.executable, "-m", "mypy", *options, "python_generator.py", folder=folder)
    check(run(sys.executable, "python_generator.py", token, forum.url, folder=folder))


def test_kotlin_has_a_class_of_each_schema_under_its_name(folder):
    # It is not compiled: the package indexes of the tests have no current compiler of Kotlin.
    openapi_generator("kotlin", folder=folder)
    models = {file.stem for file in (folder / "kotlin").rglob("models/*.kt")}
    assert {"TopicForm", "TopicWithAbilities", "NotificationType", "Mention"} <= models
    assert [name for name in models if name[-1].isdigit()] == []


def test_linters_find_no_error_and_no_warning(folder):
    npm("spectral", "lint", "openapi.json", "--fail-severity=warn", folder=folder)
    # It has no option to fail on warnings, of which it speaks only where there are some.
    printed = npm("redocly", "lint", "openapi.json", "--max-problems=1000", folder=folder)
    assert "Your API description is valid" in printed, printed
    assert "warning" not in printed, printed
