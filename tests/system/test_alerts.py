"""The shipped alerts in promtool: they fire when something is wrong, and are silent when not."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from tests import programs
from tests.system.process import PATIENCE
from tests.system.proxies import DEPLOY

TABLE = yaml.safe_load(Path(__file__).with_name("alerts.yaml").read_text("utf-8"))


def firing(tmp_path: Path, changed: dict[str, str | None]) -> set[str]:
    """Return which alerts fire after 115 minutes. changed: values in place of those of `healthy`.

    None: the series is not there.
    """
    values = {**TABLE["healthy"], **changed}
    series = [{"series": key, "values": found} for key, found in values.items() if found]
    groups = json.dumps({"input_series": series, "interval": "1m", **_expected()})
    test = f'{{"rule_files": ["{DEPLOY / "alerts.yml"}"], "tests": [{groups}]}}'
    (tmp_path / "test.yml").write_text(test)
    command = [programs.require("promtool"), "test", "rules", str(tmp_path / "test.yml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert "exp:" in done.stderr or done.returncode == 0, done.stderr
    # Nothing is expected, so each alert that fires is told.
    parts = done.stderr.split('Labels:{alertname="')[1:]
    return {part.partition('"')[0] for part in parts}


def _expected() -> dict[str, object]:
    names = [
        line.split()[-1]
        for line in (DEPLOY / "alerts.yml").read_text().splitlines()
        if line.strip().startswith("- alert:")
    ]
    wanted = [{"eval_time": "115m", "alertname": name, "exp_alerts": []} for name in names]
    return {"alert_rule_test": wanted}


def test_a_healthy_forum_fires_no_alert(tmp_path):
    assert firing(tmp_path, {}) == set()


@pytest.mark.parametrize(
    ("alert", "changed"), [pair for one in TABLE["fires"] for pair in one.items()]
)
def test_an_alert_fires_when_something_is_wrong(tmp_path, alert, changed):
    assert alert in firing(tmp_path, changed)
