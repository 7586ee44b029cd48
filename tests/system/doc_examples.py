"""Runs the examples of documents, and compares their output with the documents."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.downloads import NODE
from tests.programs import require
from tests.system.process import PATIENCE
from tests.system.pserve import ROOT

ADDRESS = "http://127.0.0.1:6543"
"""Where every page has the service."""

ANY = "…"
"""In an output that is shown: any value of JSON, any part of another text."""

_ANSWERS = ("json", "text")
"""The kinds of blocks that show an output."""
_END_OF_BLOCK = "----- the end of block"
_BLOCKS = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PRINT_END_OF_BLOCK = {
    "sh": f"\necho '{_END_OF_BLOCK} {{}}'\n",
    "python": f'\nprint("{_END_OF_BLOCK} {{}}", flush=True)\n',
    "js": f"\nconsole.log('{_END_OF_BLOCK} {{}}')\n",
}
_PROGRAMS = {
    "sh": ["bash", "-euo", "pipefail"],
    "python": [sys.executable, "-W", "error", "-"],
    "js": [str(NODE), "--input-type=module", "-"],
}


class Block(NamedTuple):
    """A fenced block of a page.

    kind: the text after the fence; group: shared by consecutive blocks, up to their output.
    """

    kind: str
    text: str
    group: int


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    found: list[Block] = []
    group = end = 0
    for block in _BLOCKS.finditer(page):
        answered = bool(found) and found[-1].kind in _ANSWERS
        group += answered or bool(page[end : block.start()].strip())
        end = block.end()
        found.append(Block(block[1], block[2], group))
    return found


def run(page: list[Block], language: str, url: str, folder: Path, programs: Path) -> dict[int, str]:
    """Run all blocks of a language, in order, as one program in `folder`.

    programs: a folder of commands, first on the PATH. Returns the output of each, by its number.
    """
    mark = _PRINT_END_OF_BLOCK[language]
    script = "".join(
        block.text + mark.format(number)
        for number, block in enumerate(page)
        if block.kind == language
    )
    done = subprocess.run(
        _PROGRAMS[language],
        input=script.replace(ADDRESS, url),
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        },
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    parts = re.findall(rf"(.*?){_END_OF_BLOCK} (\d+)\n", done.stdout, re.DOTALL)
    return {int(number): text for text, number in parts}


def check_outputs(page: list[Block], printed: Mapping[int, str]) -> int:
    """Compare the output of the blocks with the output on the page.

    Output after examples in several languages is that of each of them. Returns how many outputs
    were compared.
    """
    compared = 0
    for shown in page:
        if shown.kind not in _ANSWERS:
            continue
        for number, text in printed.items():
            if page[number].group == shown.group:
                assert _is_shown(shown, text), (shown.text, text)
                compared += 1
    return compared


def _is_shown(shown: Block, text: str) -> bool:
    if shown.kind == "json":
        return matches(json.loads(shown.text), json.loads(text))
    parts = map(re.escape, shown.text.strip().split(ANY))
    return re.fullmatch(".*".join(parts), text.strip()) is not None


def matches(expected: Any, actual: Any) -> bool:
    """Return whether a value is the expected one; a placeholder on the page matches any value."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(
            matches(expected[k], actual[k]) for k in expected
        )
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(matches, expected, actual))
    return bool(expected in (ANY, actual))


def commands(folder: Path) -> Path:
    """Create a folder with the commands of the pages that not every machine has; return it."""
    require("curl")
    programs = folder / "bin"
    programs.mkdir()
    words = {
        "forumsvc": "-m forumsvc.cli",
        "openapi-python-client": "-m openapi_python_client",
        "ruff": "-m ruff",
    }
    for name, arguments in words.items():
        command = programs / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        command.chmod(0o755)
    return programs
