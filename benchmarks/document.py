"""Generated parts of a Markdown file, between markers, so that the prose around them stays."""

from pathlib import Path


def put(path: Path, part: str, text: str) -> None:
    """Write a part of a file in place of what it was.

    part: its name, in the markers `<!-- begin NAME -->` and `<!-- end NAME -->`; where the file
    has none, they come behind what is there.
    """
    begin, end = f"<!-- begin {part} -->", f"<!-- end {part} -->"
    whole = path.read_text(encoding="utf-8") if path.exists() else ""
    before, found, rest = whole.partition(begin)
    after = rest.partition(end)[2] if found else "\n"
    if not found and before:
        before = before.rstrip("\n") + "\n\n"
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")
