from decimal import Decimal

import pytest
from django import forms
from django.http import QueryDict

from annotate.option_forms.fields import (
    LinesField,
    ListCells,
    NumberCells,
    PercentField,
    RowsField,
    TranslatedCells,
)


def read(field: RowsField, query: str) -> object:
    return field.clean(field.widget.value_from_datadict(QueryDict(query), None, "t"))


@pytest.mark.parametrize(("share", "shown"), [("0", "0"), ("1", "100"), ("0.125", "12.5"), ("0.070", "7")])
def test_a_share_is_shown_and_read_in_percent(share: str, shown: str) -> None:
    field = PercentField()
    assert field.prepare_value(Decimal(share)) == shown
    assert field.clean(shown) == Decimal(share)


@pytest.mark.parametrize("percent", ["-1", "100.1", "12.34", "x"])
def test_a_percentage_that_is_none_is_refused(percent: str) -> None:
    with pytest.raises(forms.ValidationError):
        PercentField().clean(percent)


def test_a_list_has_one_text_a_line() -> None:
    field = LinesField(required=False)
    assert field.prepare_value(["A b", "C"]) == "A b\nC"
    assert field.clean(" A b \r\n\r\nC\r\n") == ["A b", "C"]
    assert field.clean("") == []


@pytest.mark.parametrize(("text", "told"), [("A\nB\nA", "“A” appears twice"), ("A\x00", "Null characters")])
def test_a_bad_line_is_refused(text: str, told: str) -> None:
    with pytest.raises(forms.ValidationError, match=told):
        LinesField(required=False).clean(text)


def test_a_table_is_read_row_by_row_and_leaves_out_empty_rows() -> None:
    field = RowsField(ListCells("Values"), name_label="Name", required=False)
    query = "t-key=Coding&t-values=Generation%0D%0ADebugging&t-key=&t-values=+&t-key=Maths&t-values="
    assert read(field, query) == {"Coding": ["Generation", "Debugging"], "Maths": []}
    assert field.prepare_value({"A": ["b", "c"]}) == [{"key": "A", "values": "b\nc"}]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("t-key=A&t-number=1&t-key=A&t-number=2", "“A” appears twice"),
        ("t-key=&t-number=1", "A row has no name: 1"),
        ("t-key=A&t-number=much", "A: “much” is not a number"),
        ("t-key=A%00&t-number=1", "Null characters"),
    ],
)
def test_a_bad_row_is_refused_by_its_name(query: str, told: str) -> None:
    with pytest.raises(forms.ValidationError, match=told):
        read(RowsField(NumberCells("Number"), name_label="Name", required=False), query)


def test_numbers_stay_as_they_are_written() -> None:
    field = RowsField(NumberCells("Number"), name_label="Name", required=False)
    assert read(field, "t-key=A&t-number=0.7&t-key=B&t-number=&t-key=C&t-number=1") == {"A": 0.7, "B": None, "C": 1}


def test_a_text_is_for_all_languages_or_for_each() -> None:
    field = RowsField(TranslatedCells(["en", "zh"], with_all=True), name_label="Label", required=False)
    assert read(field, "t-key=A&t-all=Any&t-en=&t-zh=&t-key=B&t-all=&t-en=Bee&t-zh=") == {
        "A": "Any",
        "B": {"en": "Bee"},
    }
    with pytest.raises(forms.ValidationError, match="not both"):
        read(field, "t-key=A&t-all=Any&t-en=One&t-zh=")


def test_a_table_that_is_not_sent_is_omitted_and_an_empty_one_is_not() -> None:
    widget = RowsField(NumberCells("Number"), name_label="Name").widget
    assert widget.value_omitted_from_data(QueryDict("x=1"), None, "t")
    assert not widget.value_omitted_from_data(QueryDict("t-rows=1"), None, "t")
