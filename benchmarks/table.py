"""Tables in Markdown that are also readable on a terminal."""

from collections.abc import Sequence


def markdown(rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """Return a table, whose first row is its header.

    text_columns: how many of the columns, from the left, are text; the others are numbers.
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rule = ["-" * width for width in widths[:text_columns]]
    rule += ["-" * (width - 1) + ":" for width in widths[text_columns:]]
    lines = []
    for row in (rows[0], rule, *rows[1:]):
        cells = [
            cell.ljust(width) if column < text_columns else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
