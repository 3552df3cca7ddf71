"""Problems of many rows as one entry: a count, the first lines, and the first message as the example."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

SINGLE = 3  # so many with one signature are listed one by one; more become one entry
LINES = 10  # that an entry of many rows names
_PLACE = re.compile(r"\[\d+\]")

Entry = dict[str, Any]
Signature = tuple[str, str, str, str]


class ProblemList:
    """Stored problems by their signature: file, level, field and sentence, whatever values the sentence quotes.

    An entry of many rows has besides a problem's names `count`, how often it occurred, and `lines`, the first of them.
    entries: the list to fill; what it holds already counts. most: no more entries than these.
    """

    def __init__(self, entries: list[Entry], *, most: int) -> None:
        self._entries, self._most = entries, most
        self._signatures: dict[Signature, list[Entry]] = {}
        for entry in entries:
            self._remember(entry)

    def add(self, entry: Entry) -> bool:
        """Whether there was room for it."""
        alike = [] if entry["line"] is None else self._signatures.get(_signature(entry), [])
        if alike and sum(map(_count, alike)) + _count(entry) > SINGLE:
            self._merge(alike, entry)
            return True
        if len(self._entries) >= self._most:
            return False
        entry = dict(entry)
        self._entries.append(entry)
        self._remember(entry)
        return True

    def _remember(self, entry: Entry) -> None:
        if entry["line"] is not None:
            self._signatures.setdefault(_signature(entry), []).append(entry)

    def _merge(self, alike: list[Entry], entry: Entry) -> None:
        first_entry, other_entries = alike[0], [*alike[1:], entry]
        for other_entry in other_entries:
            lines = dict.fromkeys([*_lines(first_entry), *_lines(other_entry)])
            first_entry |= {"count": _count(first_entry) + _count(other_entry), "lines": list(lines)[:LINES]}
            if first_entry["path"] != other_entry["path"]:
                first_entry["path"] = _PLACE.sub("[…]", first_entry["path"])
        merged = {id(merged_entry) for merged_entry in alike[1:]}
        if merged:
            self._entries[:] = [stored_entry for stored_entry in self._entries if id(stored_entry) not in merged]
            del alike[1:]


def _count(entry: Entry) -> int:
    return int(entry.get("count", 1))


def _lines(entry: Entry) -> list[int]:
    return list(entry.get("lines", [entry["line"]]))


def _signature(entry: Entry) -> Signature:
    message_parts = entry.get("said")
    sentence = " ".join(_sentences(message_parts)) if message_parts else entry["message"]
    return entry["file"], entry["level"], _PLACE.sub("[…]", entry["path"].replace("[…]", "[0]")), sentence


def _sentences(message_parts: Mapping[str, Any]) -> Iterator[str]:
    """The sentence and those within it, without the values that they quote."""
    yield message_parts["id"]
    for value in message_parts["values"].values():
        if isinstance(value, Mapping):
            yield from _sentences(value)
