"""The README's first requests, run by bash against the service of `make serve`."""

import json

from tests.system import doc_examples
from tests.system.pserve import ROOT

from .demo import demo_service

PAGE = doc_examples.blocks((ROOT / "README.md").read_text("utf-8"))


def test_the_calls_of_the_readme_read_a_list_and_open_a_topic(tmp_path):
    with demo_service(tmp_path) as forum:
        programs = doc_examples.commands(tmp_path)
        read, _, written = doc_examples.run(PAGE, "sh", forum.url, tmp_path, programs).values()
    assert len(json.loads(read)) == 5
    topic = json.loads(written)
    assert (topic["title"], topic["user"]["login"]) == ("Hello", "demo")
    assert 'class="user-mention">@admin</a>' in topic["body_html"]
