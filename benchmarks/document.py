"""Generated parts of a Markdown file, between markers; the text around them stays."""

from pathlib import Path


def replace_part(path: Path, part: str, text: str) -> None:
    """Replace a part of a file.

    part: its name, in the markers `<!-- begin NAME -->` and `<!-- end NAME -->`; if the file has
    none, they are appended.
    """
    begin, end = f"<!-- begin {part} -->", f"<!-- end {part} -->"
    whole = path.read_text(encoding="utf-8") if path.exists() else ""
    before, found, rest = whole.partition(begin)
    after = rest.partition(end)[2] if found else "\n"
    if not found and before:
        before = before.rstrip("\n") + "\n\n"
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")


def read_part(path: Path, part: str) -> str:
    """Return the text between the markers of a part; an empty string if the file has none."""
    text = path.read_text(encoding="utf-8").partition(f"<!-- begin {part} -->")[2]
    return text.partition(f"<!-- end {part} -->")[0]
