import pytest

from lib.charts.marks import cut, domain, ticks, width, wrapped


def test_a_chinese_character_is_a_square() -> None:
    assert width("数学") == 24
    assert width("ab") < width("数") * 2


def test_words_are_broken_between_words_and_between_characters() -> None:
    assert wrapped("Text Error Correction", 80) == ["Text Error", "Correction"]
    assert wrapped("文本信息抽取", 40) == ["文本信", "息抽取"]
    assert wrapped("Coding", 80) == ["Coding"]


def test_what_does_not_fit_is_an_ellipsis() -> None:
    assert wrapped("one two three four five six", 40, lines=2)[-1].endswith("…")
    assert cut("x" * 50, 50).endswith("…")
    assert width(cut("数" * 50, 50)) <= 50


@pytest.mark.parametrize(
    ("values", "expected"),
    [([], (0, 100)), ([50], (40, 60)), ([0], (0, 20)), ([100], (80, 100)), ([37.2, 81.3], (35, 85))],
)
def test_an_axis_has_round_ends_around_its_values(values: list[float], expected: tuple[float, float]) -> None:
    assert domain(values) == expected


@pytest.mark.parametrize(
    ("ends", "expected"),
    [((35, 85), [40, 50, 60, 70, 80]), ((0, 100), [0, 20, 40, 60, 80, 100]), ((0, 15), [0, 5, 10, 15])],
)
def test_ticks_are_round_and_inside(ends: tuple[float, float], expected: list[float]) -> None:
    assert ticks(*ends) == expected
