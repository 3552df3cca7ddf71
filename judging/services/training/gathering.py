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

    def is_new(self, said: Any) -> bool:
        whole = hashlib.sha256(json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")).digest()
        number = int.from_bytes(whole[:8], signed=True)
        return self._kept.execute("INSERT OR IGNORE INTO seen VALUES (?)", [number]).rowcount == 1


def rows(
    project: Project, chosen: Chosen, left_out: Counter[str] | None = None, *, only: Collection[str] = FILES
) -> Iterator[Row]:
    """(file, row), item by item. left_out: gets reason -> how many. only: of these files, all being counted in it."""
    for one, split in gathered(project, chosen, Counter() if left_out is None else left_out, only):
        yield one.step, one.row(split)


def gathered(
    project: Project, chosen: Chosen, left_out: Counter[str], only: Collection[str] = FILES
) -> Iterator[tuple[Example, str]]:
    """Each with its split, not worded yet."""
    with closing(Seen()) as seen:
        for one in _examples(project, chosen, left_out, only):
            if one.step not in only:
                continue
            if seen.is_new([one.step, one.said()]):
                yield one, chosen.split_of(one.query)
            else:
                left_out[DUPLICATE] += 1


def _examples(project: Project, chosen: Chosen, left_out: Counter[str], only: Collection[str]) -> Iterator[Example]:
    for items in chunks(project, chosen.filters):
        yield from _of_items(project, items, chosen, left_out)
    if PAIRS in only:
        yield from votes.pairs(project, left_out)


def _of_items(project: Project, items: list[Item], chosen: Chosen, left_out: Counter[str]) -> Iterator[Example]:
    yield from trees.examples(project, items, left_out)
    yield from judged.examples(project, items, chosen, left_out)
    yield from corrected.examples(project, items, chosen)
