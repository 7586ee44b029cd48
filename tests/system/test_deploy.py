"""The shipped files of logrotate and systemd in their programs."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests import programs
from tests.system.process import PATIENCE
from tests.system.proxies import DEPLOY, shipped
from tests.system.pserve import ROOT

UNITS = ("forumsvc.service", "forumsvc.socket", "forumsvc-failed@.service")
"""What systemd is given."""


def test_logrotate_takes_its_file(tmp_path):
    program = programs.require("logrotate")
    config = shipped("logrotate.conf", tmp_path, **{"    su forum forum\n": ""})
    config.chmod(0o600)
    command = [program, "-d", "-s", str(tmp_path / "state"), str(config)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr.lower()


def test_systemd_takes_its_units_and_finds_them_safe(tmp_path):
    program = programs.require("systemd-analyze")
    for name in UNITS:
        text = (DEPLOY / name).read_text()
        # systemd looks for the program.
        (tmp_path / name).write_text(re.sub(r"(?m)^(ExecStart\w*=)\S+", r"\1/bin/true", text))
    units = [str(tmp_path / "forumsvc.service"), str(tmp_path / "forumsvc-failed@.service")]
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"}
    checked = subprocess.run(
        [program, "verify", "--man=no", *units],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert "forumsvc" not in checked.stderr
    found = subprocess.run(
        [program, "security", "--offline=true", units[0]],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    level = re.search(r"exposure level for \S+: ([\d.]+)", found.stdout)
    assert level, found.stderr
    assert float(level[1]) <= 2.0


def test_a_failed_unit_is_mailed_to_root_by_its_name(tmp_path):
    [line] = re.findall(r"(?m)^ExecStart=(.*)$", (DEPLOY / "forumsvc-failed@.service").read_text())
    shell, option, script, *words = shlex.split(line.replace("%i", "forumsvc.service"))
    for program, does in (("systemctl", 'echo "systemctl $*"'), ("mail", 'echo "mail $*"; cat')):
        (tmp_path / program).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / program).chmod(0o755)
    done = subprocess.run(
        [shell, option, script.replace("$$", "$"), *words],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert done.stdout.splitlines() == [
        "mail -s forumsvc.service failed on %H root",
        "systemctl status --full --lines=30 forumsvc.service",
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("", "", "Nothing is wrong."),
        ("[app:main]", "[app:main", "File contains no section headers"),
        ("use = egg:forumsvc\n", 2 * "use = egg:forumsvc\n", "option 'use'"),
        ("level = INFO", "level = INF", "Unknown level: 'INF'"),
    ],
)
def test_systemd_finds_a_mistake_in_the_ini_file_before_the_start_without_the_database(
    tmp_path, right, wrong, told
):
    ini = tmp_path / "production.ini"
    ini.write_text((ROOT / "production.ini").read_text().replace(right, wrong, 1))
    unit = (DEPLOY / "forumsvc.service").read_text()
    [before] = re.findall(r"(?m)^ExecStartPre=(.*)$", unit)
    here = str(Path(sys.executable).parent)
    before = before.replace("/srv/forum/current/bin", here).replace("/srv/forum", str(tmp_path))
    done = subprocess.run(
        shlex.split(before),
        env={
            "SITE_URL": "https://forum.example.org",
            "DATABASE_URL": "postgresql://forum@127.0.0.1:1/forum",
            "SESSION_SECRET": "a secret that these tests made up, long enough",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    lines = [line for line in (done.stdout + done.stderr).splitlines() if told in line]
    assert len(lines) == 1
    assert done.returncode == (1 if wrong else 0)
    assert "Traceback" not in done.stderr
