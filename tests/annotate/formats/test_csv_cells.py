import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.formats.csv_table import csv_line, restored, safe_cell, text_cell

DANGEROUS = "=+-@\t\r\n＝＋－＠"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\0=1", "=\x00cmd", "\0\0@x", "＝1"])
def test_what_could_begin_a_formula_gets_an_apostrophe(text: str) -> None:
    assert safe_cell(text) == "'" + text.replace("\0", "")


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, ""),
        ("text = 1", "text = 1"),
        ("中文", "中文"),
        ("", ""),
        (-0.5, "-0.5"),
        (7, "7"),
        (True, "true"),
        ([["问", 0.5]], '[["问", 0.5]]'),
        ({"a": None}, '{"a": null}'),
    ],
)
def test_other_cells_stay_what_they_are(value: object, cell: str) -> None:
    assert safe_cell(value) == cell


@given(st.lists(st.text(), min_size=1))
def test_no_cell_of_any_text_begins_a_formula_in_any_spreadsheet(cells: list[str]) -> None:
    (record,) = csv.reader(io.StringIO(csv_line(cells), newline=""))
    assert len(record) == len(cells)
    assert not [cell for cell in record if cell.startswith(tuple(DANGEROUS)) or "\0" in cell]
    assert [cell.removeprefix("'") for cell in record] == [cell.replace("\0", "").removeprefix("'") for cell in cells]


def test_separators_of_other_countries_split_no_cell() -> None:
    assert csv_line(["a;=1", "b\t=2"]) == '"a;=1","b\t=2"\r\n'


@given(st.text(st.sampled_from("'=[{-a \n\t＝"), max_size=5) | st.text())
def test_texts_of_a_table_that_is_read_again_come_back_and_begin_nothing(text: str) -> None:
    cell = text_cell(text)
    assert restored(cell) == text
    assert cell
    assert not cell.startswith((*DANGEROUS, "[", "{"))


@pytest.mark.parametrize("cell", ["'tis", "'quoted'", "a", "1'", "O'Neill"])
def test_apostrophes_of_the_text_itself_stay(cell: str) -> None:
    assert restored(cell) == cell == text_cell(cell)
