"""Every command of docs/oauth.md, run by bash against a real process as the page has them."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.system.process import PATIENCE
from tests.system.pserve import ROOT

from .service import Service, service

PAGE = (ROOT / "docs/oauth.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(sh|json)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
ADDRESS = "http://127.0.0.1:6543"
ANY = "…"
MARK = "----- the end of block"
STAND_IN = Path(__file__).with_name("curl.py")
CURLS = ["stand-in", "curl"] if shutil.which("curl") else ["stand-in"]
"""On a machine without curl the page is run all the same."""


@pytest.fixture
def forum(tmp_path: Path) -> Iterator[Service]:
    """The service of `make serve`, as far as the page needs it."""
    with service(tmp_path) as running:
        running.person("demo", "demo-password")
        yield running


def run(forum: Service, script: str, curl: str) -> str:
    """Run a script where the page would have it run, and return what it prints."""
    programs = forum.folder / "bin"
    programs.mkdir()
    commands = {"forumsvc": "-m forumsvc.cli"}
    if curl == "stand-in":
        commands["curl"] = f'"{STAND_IN}"'
    for name, arguments in commands.items():
        command = programs / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        command.chmod(0o755)
    forum.ini.rename(forum.folder / "development.ini")
    done = subprocess.run(
        ["bash", "-euo", "pipefail"],
        input=script,
        cwd=forum.folder,
        env={
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
        },
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def agrees(shown: Any, given: Any) -> bool:
    """Return whether an answer is what the page shows, where it shows anything in particular."""
    if isinstance(shown, dict) and isinstance(given, dict):
        return shown.keys() == given.keys() and all(agrees(shown[k], given[k]) for k in shown)
    return bool(shown in (ANY, given))


@pytest.mark.parametrize("curl", CURLS)
def test_every_command_on_the_page_works_and_answers_as_the_page_shows(
    forum: Service, curl: str
) -> None:
    assert [kind for kind, _ in BLOCKS].count("json") >= 9
    script = "".join(
        f"{text}\necho '{MARK} {number}'\n"
        for number, (kind, text) in enumerate(BLOCKS)
        if kind == "sh"
    )
    said = run(forum, script.replace(ADDRESS, forum.url), curl)
    printed = {
        int(number): text for text, number in re.findall(rf"(.*?){MARK} (\d+)\n", said, re.DOTALL)
    }
    for number, (kind, text) in enumerate(BLOCKS):
        if kind == "json":
            given = json.loads(printed[number - 1])
            assert agrees(json.loads(text), given), (text, given)
