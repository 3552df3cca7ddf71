from pathlib import Path
from xml.etree import ElementTree

import pytest

from lib.charts.forest import ForestRow, ForestWords, forest
from lib.charts.marks import WIDTHS, fitted
from tests.lib.charts.drawn import numbers, words

WORDS = ForestWords("Elo & more", "Model", "Elo (95 %)", "Battles", lambda value: f"{value:.0f}", "not ranked")
ROWS = [ForestRow("<a>", 1100, 1050, 1150, 40), ForestRow("b", 1000, 960, 1040, 400), ForestRow("c", None, n=7)]


def drawn(wide: int = 780) -> str:
    return forest(ROWS, WORDS, reference=1000, wide=wide)


@pytest.mark.parametrize("wide", WIDTHS)
def test_every_row_has_its_name_figures_and_n(wide: int) -> None:
    svg = drawn(wide)
    for said in ("&lt;a&gt;", "1100 (1050–1150)", "1000 (960–1040)", "not ranked", "400", "7"):
        assert said in svg
    ElementTree.fromstring(svg)


def test_points_and_intervals_are_on_one_scale_with_the_reference() -> None:
    svg = drawn()
    first, second = numbers(svg, "circle", "person")
    (line,) = numbers(svg, "line", "reference")
    assert second["cx"] == line["x1"]
    high, low = numbers(svg, "line", "person span")
    # 50 points on either side of the first, 40 of the second: intervals around their points, as long as they are wide.
    assert high["x2"] - first["cx"] == pytest.approx(first["cx"] - high["x1"], abs=0.2)
    assert (high["x2"] - high["x1"]) / (low["x2"] - low["x1"]) == pytest.approx(100 / 80, abs=0.01)


@pytest.mark.parametrize("wide", WIDTHS)
def test_nothing_lies_outside(wide: int) -> None:
    svg = ElementTree.fromstring(drawn(wide))
    right = float(svg.get("width") or 0)
    ends = [float(part.get(name) or 0) for part in svg.iter() for name in ("x", "x1", "x2", "cx")]
    assert min(ends) >= 0
    assert max(ends) <= right


def test_an_interval_much_wider_than_the_others_ends_in_an_arrow() -> None:
    rows = [ForestRow(f"m{n}", 1000 + 10 * n, 990 + 10 * n, 1010 + 10 * n, 50) for n in range(4)]
    svg = forest([*rows, ForestRow("wild", 1000, 1000, 5000, 3, thin=True)], WORDS)
    assert svg.count("<polyline") == 1
    assert 'class="person thin span"' in svg
    shown = [float(text.replace("−", "-")) for text in words_of_scale(svg)]
    assert max(shown) < 1200


def words_of_scale(svg: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter("text") if text.get("text-anchor") == "middle"]


def test_nobody_can_be_drawn() -> None:
    assert forest([], WORDS).startswith("<svg")
    assert words(forest([ForestRow("a", None)], WORDS), "name") == ["a"]


def test_a_chart_is_drawn_at_every_width_that_the_style_sheet_knows() -> None:
    sheet = (Path(__file__).resolve().parents[3] / "static/css/chart.css").read_text(encoding="utf-8")
    html = fitted(drawn)
    for wide in WIDTHS:
        assert f'class="fit fit--{wide}"><svg class="chart forest" width="{wide}"' in html
        assert f".fit--{wide} " in sheet
