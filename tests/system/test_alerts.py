"""The shipped alerts in promtool: they fire when something is wrong, and are silent when not."""

import json
import subprocess
from pathlib import Path

import pytest

from tests import programs
from tests.system.process import PATIENCE
from tests.system.proxies import DEPLOY

HEALTHY = {
    'up{job="forumsvc",instance="a"}': "1x150",
    'forumsvc_worker_up{instance="a",worker="1"}': "1x150",
    'forumsvc_worker_up{instance="a",worker="2"}': "1x150",
    'forumsvc_worker_up{instance="a",worker="background"}': "1x150",
    'forumsvc_requests_total{instance="a",status="2xx",method="GET"}': "0+6000x150",
    'forumsvc_requests_total{instance="a",status="5xx",method="GET"}': "0+1x150",
    'forumsvc_requests_total{instance="a",status="2xx",method="POST"}': "0+60x150",
    'forumsvc_requests_total{instance="a",status="5xx",method="POST"}': "0x150",
    'forumsvc_view_counts_pending{instance="a",worker="1"}': 20 * "7 1 12 4 9 30 2 ",
    'forumsvc_jobs_oldest_seconds{instance="a",kind="deliver"}': "1x150",
    'forumsvc_jobs_oldest_seconds{instance="a",kind="mail"}': "2x150",
    'forumsvc_jobs_failed{instance="a",kind="mail"}': "0x150",
    'forumsvc_webhooks_failing_seconds{instance="a"}': "0x150",
    'forumsvc_backup_age_seconds{instance="a",worker="background"}': "3600x150",
    'forumsvc_backup_max_age_seconds{instance="a",worker="1"}': "93600x150",
    'forumsvc_reviews_oldest_seconds{instance="a"}': "3600x150",
    'forumsvc_events_lag_seconds{instance="a",consumer="indexer"}': "1x150",
}
"""What Prometheus sees, a value a minute for each series."""


def firing(tmp_path: Path, changed: dict[str, str | None]) -> set[str]:
    """Return which alerts fire after 115 minutes. changed: values in place of those of HEALTHY.

    None: the series is not there.
    """
    values = {**HEALTHY, **changed}
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
    ("changed", "alert"),
    [
        ({'up{job="forumsvc",instance="a"}': "1x90 0x60"}, "ForumsvcDown"),
        (dict.fromkeys(key for key in HEALTHY if "worker_up" in key), "ForumsvcNotAsked"),
        ({'forumsvc_worker_up{instance="a",worker="2"}': "1x90 _x60"}, "ForumsvcProcessGone"),
        (
            {'forumsvc_worker_up{instance="a",worker="background"}': "1x90 _x60"},
            "ForumsvcNoBackgroundWorker",
        ),
        (
            {'forumsvc_requests_total{instance="a",status="5xx",method="GET"}': "0+600x150"},
            "ForumsvcErrors",
        ),
        (
            {'forumsvc_requests_total{instance="a",status="5xx",method="POST"}': "0+30x150"},
            "ForumsvcWrites",
        ),
        (
            {'forumsvc_view_counts_pending{instance="a",worker="1"}': "0+9x150"},
            "ForumsvcViewsNotWritten",
        ),
        ({'forumsvc_jobs_oldest_seconds{instance="a",kind="mail"}': "900x150"}, "ForumsvcJobsWait"),
        (
            {'forumsvc_backup_age_seconds{instance="a",worker="background"}': "93700x150"},
            "ForumsvcBackupOld",
        ),
        (
            {'forumsvc_backup_age_seconds{instance="a",worker="background"}': None},
            "ForumsvcNoBackup",
        ),
        ({'forumsvc_jobs_failed{instance="a",kind="mail"}': "1x150"}, "ForumsvcJobsFailed"),
        ({'forumsvc_webhooks_failing_seconds{instance="a"}': "4000x150"}, "ForumsvcWebhooksWait"),
        ({'forumsvc_reviews_oldest_seconds{instance="a"}': "90000x150"}, "ForumsvcReportsWait"),
        (
            {'forumsvc_events_lag_seconds{instance="a",consumer="indexer"}': "400x150"},
            "ForumsvcEventsWait",
        ),
        (
            {
                'forumsvc_request_seconds_bucket{le="1"}': "0+10x150",
                'forumsvc_request_seconds_bucket{le="5"}': "0+99x150",
                'forumsvc_request_seconds_bucket{le="+Inf"}': "0+100x150",
            },
            "ForumsvcSlow",
        ),
        (
            {'forumsvc_background_failures_total{instance="a",task="jobs"}': "0+1x150"},
            "ForumsvcTaskFails",
        ),
        (
            # Every three minutes, at two hosts in turn.
            {
                'forumsvc_background_failures_total{instance="a",task="silences"}': "0+0.17x150",
                'forumsvc_background_failures_total{instance="b",task="silences"}': "0+0.17x150",
            },
            "ForumsvcTaskFails",
        ),
        (
            {'forumsvc_markup_fallbacks_total{instance="a"}': "0+1x150"},
            "ForumsvcTextsNotRendered",
        ),
    ],
)
def test_an_alert_fires_when_something_is_wrong(tmp_path, changed, alert):
    assert alert in firing(tmp_path, changed)
