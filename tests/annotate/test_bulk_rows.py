"""Rows as a table of a statement: what comes out is what went in, on both kinds of database."""

import pytest

from annotate import bulk_rows
from annotate.models import Call, Item
from tests.support.installations import Installations
from tests.support.postgres_statements import Statements, postgres_without_server

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


# --- what PostgreSQL is sent ------------------------------------------------------------------------------------------
@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Statements:
    connection, statements = postgres_without_server()
    monkeypatch.setattr(bulk_rows, "connection", connection)
    return statements


@pytest.mark.usefixtures("sent")
def test_columns_are_arrays_as_text_for_postgresql() -> None:
    fields = bulk_rows.fields_of(Call, ["detail", "request", "attempt"])
    source, values = bulk_rows.values_table(fields, [['say "no"\\', {"a": 1}, 1], [None, {}, 2]])
    assert source == "unnest(%s::text[], %s::jsonb[], %s::integer[]) AS given(column1, column2, column3)"
    assert values == [r'{"say \"no\"\\",NULL}', r'{"{\"a\": 1}","{}"}', '{"1","2"}']


def test_many_rows_are_copied_with_what_they_have_in_common(sent: Statements) -> None:
    inserting = bulk_rows.BulkInsert(Item, ["key", "facts"], project_id=7, state="imported")
    inserting.insert([])
    assert sent.sent == []
    inserting.insert([("a", {"n": 1}), ("b", [])])
    [copy] = sent.sent
    assert copy.startswith('COPY "annotate_item" (')
    assert copy.endswith('"key", "facts") FROM STDIN')
    assert [row[-2:] for row in sent.copied] == [("a", '{"n": 1}'), ("b", "[]")]
    columns = copy[copy.index("(") + 1 : copy.index(")")].replace('"', "").split(", ")
    common = [dict(zip(columns, row, strict=True)) for row in sent.copied]
    assert {(row["project_id"], row["state"]) for row in common} == {(7, "imported")}


def test_statistics_and_ids_are_brought_up_to_date_after_many_rows(sent: Statements) -> None:
    bulk_rows.refresh_statistics([Item, Call])
    bulk_rows.continue_ids([Item])
    analyse, continue_counting = sent.sent
    assert analyse == 'ANALYZE "annotate_item", "annotate_call"'
    assert "pg_get_serial_sequence" in continue_counting
    assert "annotate_item" in continue_counting
