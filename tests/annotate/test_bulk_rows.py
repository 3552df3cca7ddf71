"""Rows as a table of a statement: what comes out is what went in, on both kinds of database."""

import pytest

from tests.support.installations import Installations

ODD = [
    "",
    " ",
    "NULL",
    "a,b",
    "{}",
    '"',
    "\\",
    '\\"\\\\',
    "'",
    "%s",
    "line\nbreak\ttab",
    "\u706b \u2028 \U0001f600",
    "\x01",
]
COPIED = """
import json
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID
from annotate.bulk_rows import fetched, fields_of, values_table

moment = datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC)
rows = [[text, {text: [text, None, 1.5]}, None, number, bool(number % 2)] for number, text in enumerate(odd)]
source, values = values_table(fields_of(Call, ["detail", "request", "cause", "attempt", "adapted"]), rows)
found = [list(row) for row in fetched(f"SELECT * FROM {source} ORDER BY column4", values)]
same = [[text, json.loads(body), *rest] for text, body, *rest in found] == rows

others = fields_of(Job, ["lease_until", "token"]) + fields_of(Call, ["cost"])
source, values = values_table(others, [[moment, UUID(int=5), Decimal("0.00000001")], [None, None, Decimal(0)]])
result = [same, [[str(value) for value in row] for row in fetched(f"SELECT * FROM {source}", values)]]
"""
OTHERS = {
    "sqlite": [["2026-03-04 05:06:07.000008", f"{5:032x}", "1E-8"], ["None", "None", "0"]],
    "postgres": [
        ["2026-03-04 05:06:07.000008+00:00", f"00000000-0000-0000-0000-{5:012x}", "1E-8"],
        ["None", "None", "0"],
    ],
}


@pytest.mark.slow
def test_values_come_back_as_they_were(installations: Installations, database: str) -> None:
    with installations.migrated(database) as installation:
        same, others = installation.python(COPIED, odd=ODD)
    assert same
    assert others == OTHERS[database]
