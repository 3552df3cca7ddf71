import pytest

from lib.stats.checklists import too_easy


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"a": [1.0], "b": [1.0]}, True),
        ({"a": [1.0], "b": [0.6]}, False),
        ({"a": [1.0, 0.4], "b": [1.0]}, False),  # one of two samples is enough to keep it
        ({"a": [1.0]}, None),  # b has never been judged
        ({"a": [1.0], "b": [None]}, None),  # b's call failed
        ({"a": [0.2], "b": [None]}, False),  # whatever b would have said
        ({"a": [0.9995], "b": [1.0]}, True),  # weights that add up to 0.9995
        ({"a": [1.0], "b": [1.0], "strong": [0.0]}, True),  # nobody asked for the third
        ({}, None),
    ],
)
def test_all_weak_authors_must_reach_the_threshold(
    scores: dict[str, list[float | None]], expected: bool | None
) -> None:
    assert too_easy(scores, ["a", "b"], 1.0) is expected


def test_a_lower_threshold_never_keeps_more() -> None:
    scores = {"a": [0.7], "b": [0.5]}
    assert [too_easy(scores, ["a", "b"], step / 10) for step in range(11)] == [True] * 6 + [False] * 5


def test_without_authors_nothing_is_easy() -> None:
    assert too_easy({"a": [1.0]}, [], 0.0) is None
