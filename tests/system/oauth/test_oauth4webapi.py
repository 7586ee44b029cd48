"""All flows with oauth4webapi under node, which accepts only what the RFCs allow."""

import json
import subprocess
from pathlib import Path

import pytest

from tests import downloads
from tests.system.process import PATIENCE, prepare_child

from . import node
from .service import CALLBACK, PASSWORD

FLOWS = [
    "metadata",
    "password, refresh, introspection, revocation; Basic",
    "password, refresh, introspection, revocation; body",
    "password, refresh, revocation; public",
    "wrong password, wrong secret",
    "client credentials",
    "authorization code; confidential",
    "authorization code; public",
    "authorization refused to the client",
]


@pytest.fixture(scope="session")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("node")
    node.link_client(folder)
    return folder


@pytest.mark.parametrize("flow", FLOWS)
def test_a_strict_client_gets_along(forum, ann, scripts, flow):
    task = {
        "issuer": forum.url,
        "username": "ann",
        "password": PASSWORD,
        "shown": "Ann",
        "redirect_uri": CALLBACK,
        "clients": {
            "confidential": forum.client("strict")._asdict(),
            "public": forum.client("strict", public=True)._asdict(),
            "robot": forum.client("strict", grants=("client_credentials",))._asdict(),
        },
        "flows": [flow],
    }
    with subprocess.Popen(
        [str(downloads.NODE), "client.mjs"],
        cwd=scripts,
        env=downloads.node_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=prepare_child,
        text=True,
    ) as client:
        assert client.stdin
        assert client.stdout
        assert client.stderr
        print(json.dumps(task), file=client.stdin, flush=True)
        message: dict[str, object] = {}
        for line in client.stdout:
            message = json.loads(line)
            if "visit" in message:
                print(ann.allow(str(message["visit"])), file=client.stdin, flush=True)
        complaint = client.stderr.read()
        client.wait(PATIENCE)
    assert not complaint
    assert message == {"done": [flow]}
