"""The published FB-Bench dataset: one JSON array, or the same rows as JSON lines.

Its field names are those of the kind `feedback`, so values pass unchanged; rows get a key from their position
where no other row has it.
Source of the shape: FB-Bench (arXiv 2410.09412), dataset version 3.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotate.formats.base import Format, Option
from annotate.formats.json_array import JsonArray
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import Problem, Row
from annotate.formats.source import Source

_FACTS = frozenset({"key", "bench_type", "task_type", "sub_task_type", "user_query", "origin_first_response"})


class FbBench(Format):
    slug = "fbbench"
    name = _("FB-Bench, as published")
    kinds = frozenset({"feedback"})
    options = (
        Option("as", _("Take the published feedback and checklist as"), ("facts", "suggestion", "final"), "suggestion"),
    )

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[Row | Problem]:
        """Rows whose top-level draft fields are what the option `as` says; with `facts` they have none."""
        shape = JsonArray() if source.first_character() == b"[" else JsonLines()
        for row in shape.rows(source, {}):
            yield _native(row, facts_only=options["as"] == "facts") if isinstance(row, Row) else row


def _native(row: Row, *, facts_only: bool) -> Row:
    """The key counts rows from 0, as the published judgements of this dataset do.

    Another file of this shape counts from 0 too: there the key gives way to one made from the content.
    """
    value: dict[str, Any] = {"key": f"fbbench-{row.line - 1:04}"} | row.value
    if facts_only:
        value = {name: value[name] for name in value if name in _FACTS}
    return Row(row.line, value, key_by_place="key" not in row.value)


FORMAT = FbBench()
