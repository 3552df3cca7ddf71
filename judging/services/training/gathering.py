"""All rows of training data of a project, each once, in one order that never changes while the project does not."""

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import closing
from typing import Any

from annotate.models import Item, Project
from annotate.services.releasing import chunks
from judging.services.training import corrected, judged, trees, votes
from judging.services.training.base import FILES, PAIRS, Chosen, Example

DUPLICATE = "said before, word for word"
Row = tuple[str, dict[str, Any]]


class Seen:
    """What was said before. Kept in a file that disappears with it, so that memory does not grow with the rows."""

    def __init__(self) -> None:
        self._kept = sqlite3.connect("")
        self._kept.execute("CREATE TABLE seen (digest INTEGER PRIMARY KEY)")

    def close(self) -> None:
        self._kept.close()

    def is_new(self, content: Any) -> bool:
        whole = hashlib.sha256(json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")).digest()
        number = int.from_bytes(whole[:8], signed=True)
        return self._kept.execute("INSERT OR IGNORE INTO seen VALUES (?)", [number]).rowcount == 1


def rows(
    project: Project, selection: Chosen, skip_counts: Counter[str] | None = None, *, only: Collection[str] = FILES
) -> Iterator[Row]:
    """(file, row), item by item. left_out: gets reason -> how many. only: of these files, all being counted in it."""
    for example, split in gathered(project, selection, Counter() if skip_counts is None else skip_counts, only):
        yield example.step, example.row(split)


def gathered(
    project: Project, selection: Chosen, skip_counts: Counter[str], only: Collection[str] = FILES
) -> Iterator[tuple[Example, str]]:
    """Each with its split, not worded yet."""
    with closing(Seen()) as seen_digests:
        for example in _examples(project, selection, skip_counts, only):
            if example.step not in only:
                continue
            if seen_digests.is_new([example.step, example.said()]):
                yield example, selection.split_of(example.query)
            else:
                skip_counts[DUPLICATE] += 1


def _examples(
    project: Project, selection: Chosen, skip_counts: Counter[str], only: Collection[str]
) -> Iterator[Example]:
    for items in chunks(project, selection.filters):
        yield from _of_items(project, items, selection, skip_counts)
    if PAIRS in only:
        yield from votes.pairs(project, skip_counts)


def _of_items(project: Project, items: list[Item], selection: Chosen, skip_counts: Counter[str]) -> Iterator[Example]:
    yield from trees.examples(project, items, skip_counts)
    yield from judged.examples(project, items, selection, skip_counts)
    yield from corrected.examples(project, items, selection)
