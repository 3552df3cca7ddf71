import re

import pytest

from lib.charts import marks as charts


def heights(svg: str) -> list[float]:
    return [float(height) for height in re.findall(r'<rect class="bar[^>]* height="([\d.]+)"', svg)]


def test_bars_are_as_tall_as_their_values() -> None:
    first, second, third = heights(charts.bars([("a", 10), ("b", 5), ("c", 0)], label="x"))
    assert first == pytest.approx(2 * second, abs=0.1)
    assert third == 0


def test_the_last_bar_is_marked_as_under_way() -> None:
    svg = charts.bars([("Mon", 1), ("today", 1)], label="x")
    assert re.findall(r'<rect class="([^"]+)"', svg) == ["bar", "bar bar--now"]


def test_names_without_room_are_left_out_from_the_last_one() -> None:
    days = [(f"Wed {day}", day) for day in range(10, 24)]
    names = [
        re.findall(r"<text[^>]*>(Wed [0-9]+)", charts.bars(days, label="x", wide=wide)) for wide in (780, 520, 330)
    ]
    assert [len(shown) for shown in names] == [14, 7, 5]
    assert all(shown[-1] == "Wed 23" for shown in names)


def test_a_chart_of_nothing_can_be_drawn() -> None:
    assert heights(charts.bars([("a", 0)], label="x")) == [0]
    assert charts.bars([], label="x").startswith("<svg")


def test_names_are_escaped_and_nothing_is_styled() -> None:
    svg = charts.bars([("<b>", 1)], label='"><script>')
    assert "<b>" not in svg
    assert "<script>" not in svg
    assert "style" not in svg


@pytest.mark.parametrize(
    ("top", "expected"),
    [(0, [0, 1]), (1, [0, 1]), (3, [0, 1, 2, 3]), (34, [0, 10, 20, 30]), (50, [0, 20, 40]), (999, [0, 500])],
)
def test_ticks_are_few_and_round(top: int, expected: list[int]) -> None:
    assert charts.whole_ticks(top) == expected


def test_an_interval_lies_around_its_point() -> None:
    svg = charts.interval(50, 25, 75, label="x", most=100, width=108)
    # 4 units of margin, one unit for each of 100
    assert '<line class="person span" x1="29" x2="79"' in svg
    assert '<circle class="person" cx="54"' in svg


def test_a_number_of_few_is_drawn_thin() -> None:
    assert 'class="chart thin"' in charts.interval(0.5, 0.1, 0.9, label="x", thin=True)


def drawn(svg: str, name: str) -> list[tuple[float, float]]:
    (points,) = re.findall(rf'<{name} class="[a-z]+" points="([^"]*)"', svg)
    return [(float(x), float(y)) for x, y in (point.split(",") for point in points.split())]


def curve(*values: float, **options) -> str:
    points = [(place / max(len(values) - 1, 1), value) for place, value in enumerate(values)]
    return charts.curve(points, label="x", amount=lambda usd: f"${usd:g}", ends=("now", "then"), **options)


def test_a_curve_rises_as_its_values_do() -> None:
    (x1, y1), (x2, y2), (x3, y3) = drawn(curve(0, 1, 4), "polyline")
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.2)
    assert (y1 - y3) == pytest.approx(4 * (y1 - y2), abs=0.4)
    assert drawn(curve(0, 1, 4), "polygon")[0][1] == y1


def test_a_limit_has_room_above_the_curve_and_its_name() -> None:
    svg = curve(0, 1, limit=(2, "budget"))
    (y,) = re.findall(r'<line class="limit" [^>]*y1="([\d.]+)"', svg)
    assert 0 < float(y) < min(y for _x, y in drawn(svg, "polyline"))
    assert ">budget</text>" in svg


@pytest.mark.parametrize("values", [(), (0,), (0, 0), (3,)])
def test_a_curve_of_next_to_nothing_can_be_drawn(values: tuple[float, ...]) -> None:
    assert curve(*values).startswith("<svg")


@pytest.mark.parametrize(
    ("top", "expected"),
    [
        (0, [0, 1]),
        (3, [0, 1, 2, 3]),
        (0.0041, [0, 0.001, 0.002, 0.003, 0.004]),
        (900, [0, 200, 400, 600, 800]),
        (12, [0, 5, 10]),
    ],
)
def test_amounts_are_few_and_round(top: float, expected: list[float]) -> None:
    assert charts.amounts(top) == pytest.approx(expected)


def test_a_trend_joins_only_the_points_that_stand_on_enough() -> None:
    points = [
        charts.Point("1", 0.5, 0.4, 0.6),
        charts.Point("2", None, 0, 0),
        charts.Point("3", 0.9, 0.1, 1.0, thin=True),
        charts.Point("4", 0.7, 0.6, 0.8),
    ]
    drawn = charts.trend(points, label="Shares", amount=str, most=1)
    assert drawn.count('class="person"') == 2
    assert drawn.count('class="bar--soft"') == 1
    assert drawn.count('class="whisker"') == 2
    (line,) = re.findall(r'<polyline class="line" points="([^"]*)"', drawn)
    assert len(line.split()) == 2


def test_two_intervals_stand_under_each_other() -> None:
    drawn = charts.two_intervals([(0.5, 0.4, 0.6), (0.25, 0.2, 0.3)], label="Both")
    # 152 units wide, 4 from the edge: 0.5 is at 80, 0.25 at 42
    assert re.findall(r'<circle class="(\w+)" cx="(\d+)" cy="(\d+)"', drawn) == [
        ("person", "80", "10"),
        ("machine", "42", "22"),
    ]
    assert charts.two_intervals([], label="None").count("<circle") == 0
