"""The shipped files of other programs: they can be parsed, and name what there is."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

from forumsvc.cli.config import EXAMPLES
from tests.cases import each

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
METRIC = re.compile(r"\b(?:forumsvc|process)_[a-z_]+\b")


def expressions(found: Any) -> str:
    if isinstance(found, dict):
        own = [str(found["expr"])] if "expr" in found else []
        return "\n".join([*own, *map(expressions, found.values())])
    return "\n".join(map(expressions, found)) if isinstance(found, list) else ""


def load(name: str) -> Any:
    """Parse a file of `deploy/`."""
    text = (DEPLOY / name).read_text()
    return json.loads(text) if name.endswith(".json") else yaml.safe_load(text)


def test_each_file_can_be_printed():
    shipped = {path.name for path in DEPLOY.iterdir()} | {"production.ini", "development.ini"}
    assert shipped == set(EXAMPLES)


@each("name", ["alerts.yml", "grafana-dashboard.json"])
def test_every_metric_is_one_of_the_manual(name):
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


def test_the_dashboard_shows_what_each_alert_is_about():
    shown = METRIC.findall(expressions(load("grafana-dashboard.json")))
    assert {*METRIC.findall(expressions(load("alerts.yml")))} <= {*shown}


def test_the_container_trusts_the_network_that_a_proxy_on_the_host_comes_from():
    compose, container = load("compose.yaml"), (DEPLOY / "Containerfile").read_text()
    [network] = compose["networks"]["default"]["ipam"]["config"]
    assert compose["services"]["upgrade"]["build"]["args"]["TRUSTED_PROXY"] == network["subnet"]
    [default] = re.findall(r"(?m)^ARG TRUSTED_PROXY=(.*)$", container)
    assert network["subnet"] == f"${{FORUM_NETWORK:-{default}}}"
    [command] = re.findall(r"(?ms)^RUN (sed .*?production\.ini)$", container)
    ini = ROOT / "production.ini"
    made = subprocess.run(
        [
            "sh",
            "-c",
            command.replace("sed -i", "sed").replace("/srv/forum/production.ini", str(ini)),
        ],
        env={"PATH": os.environ["PATH"], "TRUSTED_PROXY": "10.1.0.0/16"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "\ntrusted_proxy = 10.1.0.0/16\n" in made.stdout
    assert "\nlisten = 0.0.0.0:6543\n" in made.stdout


def test_the_container_gets_every_value_that_the_ini_file_needs():
    services = load("compose.yaml")["services"]
    ini = (ROOT / "production.ini").read_text()
    needed = set(re.findall(r"(?m)^[\w.]+ = \$\{([A-Z_]+)\}", ini))
    assert needed
    assert needed <= set(services["forum"]["environment"])
    assert services["upgrade"]["environment"] == services["forum"]["environment"]
