"""The published FB-Bench dataset: one JSON array, or the same rows as JSON lines.

Its field names are those of the kind `feedback`, so values pass unchanged; a row gets a key from its position if no
other row has that key. Source of the shape: FB-Bench (arXiv 2410.09412), dataset version 3.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotate.formats.format import Format, Option
from annotate.formats.json_array import JsonArray
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Source

_FACTS = frozenset({"key", "bench_type", "task_type", "sub_task_type", "user_query", "origin_first_response"})


class FbBench(Format):
    slug = "fbbench"
    name = _("FB-Bench, as published")
    kinds = frozenset({"feedback"})
    options = (
        Option(
            "as", _("Treat the published feedback and checklist as"), ("facts", "suggestion", "final"), "suggestion"
        ),
    )

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        """Rows whose top-level draft fields are what the option `as` says; with `facts` they have none."""
        shape = JsonArray() if source.first_character() == b"[" else JsonLines()
        for row in shape.rows(source, {}):
            yield _native(row, facts_only=options["as"] == "facts") if isinstance(row, ImportRow) else row


def _native(row: ImportRow, *, facts_only: bool) -> ImportRow:
    """The key counts rows from 0, as the published judgements of this dataset do.

    Another file of this shape also counts from 0: there the key is replaced by one made from the content.
    """
    value: dict[str, Any] = {"key": f"fbbench-{row.line - 1:04}"} | row.value
    if facts_only:
        value = {name: value[name] for name in value if name in _FACTS}
    return ImportRow(row.line, value, key_by_place="key" not in row.value)


FORMAT = FbBench()
