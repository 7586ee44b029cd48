"""Makes all files that are made of others: `make generated`."""

from collections.abc import Iterator
from pathlib import Path

from docs import make_catalogs, make_dump_schema, make_markdown_page, make_settings_page

ROOT = Path(__file__).parents[1]


def made() -> Iterator[tuple[Path, bytes]]:
    """Yield each file that is made of others, with what it should be."""
    yield make_settings_page.PAGE, make_settings_page.page().encode()
    yield make_markdown_page.PAGE, make_markdown_page.page().encode()
    yield make_dump_schema.FILE, make_dump_schema.schema().encode()
    yield from make_catalogs.made()


def stale() -> list[tuple[Path, bytes]]:
    """Return those of `made` that are not what they should be."""
    return [
        (path, content)
        for path, content in made()
        if not path.exists() or path.read_bytes() != content
    ]


def main() -> None:
    """Write what is stale, and print its name, and the texts that are not translated."""
    for path, content in stale():
        path.write_bytes(content)
        print(path.relative_to(ROOT))
    for text in make_catalogs.untranslated():
        print(f"not translated: {text}")


if __name__ == "__main__":
    main()
