from datetime import timedelta

import pytest
from django.utils import translation

from annotate.templatetags.drafting import (
    anchor,
    duration,
    left_to_give,
    options_of,
    place,
    spoken,
    typed,
    weight_meter,
)


@pytest.mark.parametrize(
    ("path", "id_", "row"), [("checklist[2]", "field-checklist-2", "3"), ("feedback", "field-feedback", "")]
)
def test_a_finding_leads_to_its_place(path: str, id_: str, row: str) -> None:
    assert (anchor(path), place(path)) == (id_, row)


def test_options_are_escaped_and_one_is_chosen() -> None:
    html = options_of(["A / <b>", "C"], "C")
    assert html == '<option value="A / &lt;b&gt;" >A / &lt;b&gt;</option><option value="C" selected>C</option>'


def test_numbers_are_shown_as_they_are_typed_in_every_language() -> None:
    with translation.override("de"):
        assert [typed(value) for value in (0.5, 1, None, "x")] == ["0.5", "1", "", "x"]


@pytest.mark.parametrize(("total", "words"), [(0.95, "0.05 left."), (1.2, "0.2 too much."), (1.0, "")])
def test_the_way_to_one_is_said_in_words(total: float, words: str) -> None:
    assert left_to_give(total) == words


def test_the_bar_shows_the_gap_and_says_the_sum() -> None:
    html = weight_meter([{"weight": 0.5}, {"weight": "x"}, {"weight": 0.25}], 0.75)
    assert html.count("<rect") == 3
    assert "fill-gap" in html
    assert 'aria-label="Weights add up to 0.75 of 1"' in html


def test_a_time_is_said_in_hours_and_minutes() -> None:
    assert duration(timedelta(hours=11, minutes=40)) == "11 h 40 min"
    assert duration(timedelta(seconds=50)) == "1 min"


def test_a_path_of_a_taxonomy_is_kept_where_nobody_has_translated_it() -> None:
    assert spoken("Coding / Code Generation / ") == "Coding / Code Generation / "
