"""Judges of pages: axe-core for accessibility, html-validate and vnu for the markup."""

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.downloads import NODE, fetched, node_environment

_PACKAGES = "npm-browser"
_RULES = {
    "extends": ["html-validate:standard"],
    # Markdown aligns the columns of tables by `align`; the others are a style of writing.
    "rules": dict.fromkeys(
        ("no-deprecated-attr", "void-style", "no-trailing-whitespace", "long-title"), "off"
    ),
}
_RUN_AXE = """() => axe.run({resultTypes: ['violations']}).then(found => found.violations.map(
  one => `${one.id}: ${one.help}: ` + one.nodes.map(node => node.html).slice(0, 3).join(' | ')))"""


@cache
def _axe() -> str:
    script = fetched(_PACKAGES) / "node_modules" / "axe-core" / "axe.min.js"
    return script.read_text()


def accessibility_errors(page: Page) -> list[str]:
    """Return what axe-core finds wrong on a page, by its rules for WCAG and best practices."""
    page.evaluate(_axe())
    found: list[str] = page.evaluate(_RUN_AXE)
    return found


def markup_errors(pages: dict[str, str], folder: Path) -> list[str]:
    """Return what html-validate finds wrong in HTML documents. pages: path -> HTML."""
    rules = folder / "rules.json"
    rules.write_text(json.dumps({"root": True, **_RULES}))
    report = folder / "report.json"  # a pipe gets only a part of it
    names = _write(pages, folder)
    script = fetched(_PACKAGES) / "node_modules" / "html-validate" / "bin" / "html-validate.mjs"
    command: list[str | Path] = [
        NODE,
        script,
        "--config",
        rules,
        "--formatter",
        f"json={report}",
        *names,
    ]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, env=node_environment(), cwd=folder
    )
    assert report.exists(), done.stderr
    reports: list[dict[str, Any]] = json.loads(report.read_text())
    return sorted(
        {
            f"{names[found['filePath']]}: {one['ruleId']}: {one['message']} (line {one['line']})"
            for found in reports
            for one in found["messages"]
        }
    )


def nu_errors(pages: dict[str, str], folder: Path, java: str) -> list[str]:
    """Return what the Nu Html Checker finds wrong in HTML documents. pages: path -> HTML.

    It knows what may stand in an attribute: times, addresses, languages, roles, ids of forms.
    java: the program.
    """
    names = _write(pages, folder)
    jar = fetched(_PACKAGES) / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"
    options = ["--errors-only", "--exit-zero-always", "--format", "json", "--stdout"]
    command: list[str | Path] = [java, "-jar", jar, *options, *names]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)["messages"]
    return sorted(
        {
            f"{names[one['url'].removeprefix('file:')]}: {one['message']} (line {one['lastLine']})"
            for one in found
        }
    )


def _write(pages: dict[str, str], folder: Path) -> dict[str, str]:
    """Write each document into a file; return the paths by the names of the files."""
    names = {}
    for number, (path, html) in enumerate(pages.items()):
        file = folder / f"{number}.html"
        file.write_text(html)
        names[str(file)] = path
    return names
