"""Converts all labelling configurations below a folder, such as those of Label Studio itself, and counts the outcomes.

    python -m scripts.label_studio_examples FOLDER

Reads files called config.xml, and `config` in files called config.yml.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import django
import yaml

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from annotate.formats.tools.label_studio_reading import from_label_studio  # noqa: E402
from annotate.formats.tools.leftovers import BadConversion, Leftover  # noqa: E402


def configurations(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted([*folder.rglob("config.xml"), *folder.rglob("config.yml")]):
        text = path.read_text(encoding="utf-8")
        yield path, text if path.suffix == ".xml" else yaml.load(text, Loader=yaml.CBaseLoader)["config"]  # noqa: S506


def outcome(text: str) -> tuple[str, list[Leftover]]:
    """`whole` (appearance aside), `part` or `none`, and what was left over."""
    try:
        conversion = from_label_studio(text)
    except BadConversion as bad:
        return "none", bad.leftovers
    return "whole" if conversion.is_whole else "part", conversion.leftovers


def main(folder: Path) -> None:
    counts: Counter[str] = Counter()
    for path, text in configurations(folder):
        sort, leftovers = outcome(text)
        counts[sort] += 1
        print(f"{sort:5} {path.parent.relative_to(folder)}")
        for leftover in leftovers:
            print(f"      {leftover.sort}: {leftover}")
    print(dict(counts))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
