"""Both shipped ini files start as they are, by the commands of the Makefile and the README."""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

from tests.system import doc_examples
from tests.system.process import PATIENCE
from tests.system.pserve import ROOT, launch, serving

SHIPPED_ADDRESS = "127.0.0.1:6543"


def copy_ini(name: str, folder: Path) -> Path:
    """Copy a shipped ini file into a folder, changed in nothing but the port; return the copy."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    written = (ROOT / name).read_text()
    assert f"listen = {SHIPPED_ADDRESS}" in written
    ini = folder / name
    ini.write_text(written.replace(SHIPPED_ADDRESS, f"127.0.0.1:{port}"))
    return ini


def recipe_of_serve(ini: Path) -> list[list[str]]:
    """Return the commands of `make serve`, with another ini file, as lists of words."""
    makefile = (ROOT / "Makefile").read_text()
    found = re.search(r"^serve:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert found
    lines = [line.removeprefix("@").removeprefix("exec ") for line in found[1].split("\t")[1:]]
    return [shlex.split(line.replace("$(INI)", str(ini))) for line in lines]


def forumsvc(words: list[str], **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "forumsvc.cli", *words],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_make_serve_on_a_fresh_checkout_answers_the_curl_line_that_it_prints(tmp_path):
    ini = copy_ini("development.ini", tmp_path)
    upgrade, demo, pserve = recipe_of_serve(ini)
    assert (upgrade.pop(0), demo.pop(0)) == ("$(BIN)/forumsvc", "$(BIN)/forumsvc")
    assert pserve == ["$(BIN)/pserve", str(ini)]
    forumsvc(upgrade)
    printed = forumsvc(demo)
    reading, logging_in = re.findall(r"^(curl .*)$", printed, re.MULTILINE)
    programs = doc_examples.commands(tmp_path)
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}

    def pasted(line: str) -> str:
        return subprocess.run(
            ["bash", "-c", line],
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ).stdout

    with serving(launch(ini, tmp_path / "output", tmp_path)):
        assert len(json.loads(pasted(reading))) == 3
        assert json.loads(pasted(logging_in))["token_type"] == "Bearer"


def test_production_ini_starts_with_its_three_values(tmp_path, new_url, monkeypatch):
    monkeypatch.setenv("SITE_URL", "https://forum.example.org")
    monkeypatch.setenv("DATABASE_URL", new_url("postgresql", empty=True))
    monkeypatch.setenv("SESSION_SECRET", "a secret that these tests made up, long enough")
    ini = copy_ini("production.ini", tmp_path)
    forumsvc(["-c", str(ini), "db", "upgrade"])
    forumsvc(["-c", str(ini), "node", "add", "General"])
    with serving(launch(ini, tmp_path / "output", tmp_path)) as server:
        answer = server.get("/api/v3/nodes")
        assert (answer.status, [node["name"] for node in answer.json]) == (200, ["General"])
        assert server.get("/health").status == 200
        assert "Traceback" not in server.log
