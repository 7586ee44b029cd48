"""Programs that some tests run, and that are not on every machine."""

import os
import shutil

import pytest

PACKAGES = {
    "curl": "curl",
    "java": "default-jre-headless",
    "pgbouncer": "pgbouncer",
    "nginx": "nginx-light",
    "haproxy": "haproxy",
    "logrotate": "logrotate",
    "promtool": "prometheus",
    "systemd-analyze": "systemd",
}
"""Debian's package of each; `.ci/run` installs them."""


def find(name: str) -> str | None:
    """Return the path of a program, None where it is not installed."""
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


def require(name: str) -> str:
    """Return the path of a program; else skip the test, or fail it as FORUMSVC_PROGRAMS says."""
    found = find(name)
    if found is not None:
        return found
    missing = f"there is no program {name} (Debian's package {PACKAGES[name]} has it)"
    if os.environ.get("FORUMSVC_PROGRAMS") == "required":
        pytest.fail(missing)
    pytest.skip(missing)
