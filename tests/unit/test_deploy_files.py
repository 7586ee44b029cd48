"""The shipped files of other programs: they can be parsed, and name what there is."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from forumsvc.cli.config import EXAMPLES
from tests.cases import each

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
METRIC = re.compile(r"\b(?:forumsvc|process)_[a-z_]+\b")


def expressions(found: Any) -> str:
    """Return all `expr` in a structure."""
    if isinstance(found, dict):
        own = [str(found["expr"])] if "expr" in found else []
        return "\n".join([*own, *map(expressions, found.values())])
    return "\n".join(map(expressions, found)) if isinstance(found, list) else ""


def load(name: str) -> Any:
    """Parse a file of `deploy/`."""
    text = (DEPLOY / name).read_text()
    return json.loads(text) if name.endswith(".json") else yaml.safe_load(text)


def test_each_file_can_be_printed() -> None:
    shipped = {path.name for path in DEPLOY.iterdir()} | {"production.ini", "development.ini"}
    assert shipped == set(EXAMPLES)


@each("name", ["alerts.yml", "grafana-dashboard.json"])
def test_every_metric_is_one_of_the_manual(name: str) -> None:
    manual = (ROOT / "docs/operators/monitor.md").read_text()
    # `…_failed_total` after `forumsvc_webhook_delivered_total` is forumsvc_webhook_failed_total.
    known = set(METRIC.findall(manual))
    for line in manual.splitlines():
        first = METRIC.search(line)
        for short in re.findall(r"`…(_[a-z_]+)`", line) if first else []:
            words = first[0].split("_") if first else []
            known |= {"_".join(words[:end]) + short for end in range(2, len(words))}
    asked = {re.sub("_bucket$", "", one) for one in METRIC.findall(expressions(load(name)))}
    assert len(asked) > 8
    assert asked <= known


def test_the_panels_of_the_dashboard_have_ids_and_places_of_their_own() -> None:
    panels = load("grafana-dashboard.json")["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}
    assert len(places) == len(panels)


def test_the_container_runs_commands_and_files_that_there_are() -> None:
    lines = (DEPLOY / "Containerfile").read_text()
    assert "COPY production.ini" in lines
    assert (ROOT / "production.ini").is_file()
    assert "listen = 127.0.0.1:6543" in (ROOT / "production.ini").read_text()
    assert "/health/live" in lines
    assert '&& exec pserve production.ini"]' in lines
    services = load("compose.yaml")["services"]
    assert services["upgrade"]["command"][:3] == ["forumsvc", "-c", "production.ini"]
    needed = set(
        re.findall(r"(?m)^[\w.]+ = \$\{([A-Z_]+)\}", (ROOT / "production.ini").read_text())
    )
    assert needed
    assert needed <= set(services["forum"]["environment"])
    assert services["upgrade"]["environment"] == services["forum"]["environment"]


def test_patroni_keeps_acknowledged_writes_on_two_machines() -> None:
    settings = load("patroni.yml")["bootstrap"]["dcs"]
    assert settings["synchronous_mode"] is True
    assert settings["synchronous_mode_strict"] is True
