"""Template lines have at most 120 characters: prints every longer one as file:line and exits with 1."""

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("templates", "annotate/kinds")
LIMIT = 120
ADVICE = (
    "Break them between attributes or between elements. Text to translate breaks within blocktranslate trimmed,"
    " long arguments move to a with tag, long addresses to url … as and query."
)


def main() -> None:
    problems = [
        f"{path.relative_to(ROOT)}:{number}: {length} characters, at most {LIMIT}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.html"))
        for number, length in long_lines(path.read_text(encoding="utf-8"))
    ]
    if problems:
        sys.exit("\n".join([*problems, ADVICE]))


def long_lines(text: str) -> Iterator[tuple[int, int]]:
    """The number, from 1, and the length of every line that is too long."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LIMIT:
            yield number, len(line)


if __name__ == "__main__":
    main()
