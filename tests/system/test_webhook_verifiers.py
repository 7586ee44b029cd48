"""The reference library of npm verifies the signatures of webhooks."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from forumsvc import clock
from forumsvc.services.webhooks import webhook_signature
from tests.downloads import NODE
from tests.system.oauth.node import link_client
from tests.system.process import PATIENCE

BODY = '{"type":"reply.created","data":{"title":"Zażółć 漢字"}}'


def message(generation: int) -> dict[str, Any]:
    """Return a message that two secrets sign, as after a rotation, and one of the secrets."""
    secrets = [webhook_signature.derive_secret("a secret", 7, each) for each in (2, 1)]
    headers = webhook_signature.headers(secrets, "evt_812", clock.now(), BODY.encode())
    shown = webhook_signature.format_secret(secrets[2 - generation])
    return {"secret": shown, "headers": headers, "body": BODY}


def verify(folder: Path, sent: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    link_client(folder, "verify.mjs")
    return subprocess.run(
        [str(NODE), "verify.mjs"],
        cwd=folder,
        input=json.dumps(sent),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize("generation", [1, 2])
def test_a_message_is_genuine_by_either_secret_of_a_rotation(tmp_path, generation):
    done = verify(tmp_path, message(generation))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(BODY)


def test_a_changed_message_is_not(tmp_path):
    done = verify(tmp_path, {**message(1), "body": BODY.replace("created", "deleted")})
    assert done.returncode == 1
    assert "No matching signature found" in done.stderr
