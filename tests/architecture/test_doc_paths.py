"""Every file that the documents name is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("forumsvc/**/README.md")]
FOLDERS = [ROOT, ROOT / "docs", ROOT / "forumsvc", *(ROOT / "forumsvc").iterdir()]
PATH = re.compile(r"`((?:[a-z_0-9.]+/)+[a-z_0-9]+\.(?:py|md|yaml|toml|conf|service))`")
LINK = re.compile(r"\[[^]]*\]\((?!https?:|/|#)([^)#]+)[^)]*\)")


def test_every_path_and_every_link_of_a_page_leads_to_a_file():
    missing = []
    for page in PAGES:
        text = page.read_text("utf-8")
        without_code = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        there = [page.parent, *FOLDERS]
        paths = [one for one in PATH.findall(text) if not any((at / one).exists() for at in there)]
        links = [one for one in LINK.findall(without_code) if not (page.parent / one).exists()]
        missing += [(page.name, one) for one in (*paths, *links)]
    assert missing == []
