import pytest

from judging.boards.ranking.numbers import MOST, BadLines, pasted_scores


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", {}),
        ("a, 1\n\nb\t-2.5\n", {"a": 1.0, "b": -2.5}),
        ("model 3 large 71.2 %", {"model 3 large": 71.2}),
        ("模型甲：80\n模型乙，7", {"模型甲": 80.0, "模型乙": 7.0}),
        ("a;1\r\nb ; 2", {"a": 1.0, "b": 2.0}),
    ],
)
def test_a_line_is_a_name_and_a_number(text: str, read: dict[str, float]) -> None:
    assert pasted_scores(text) == read


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a, 1\nb", "Line 2: write a name"),
        ("7", "Line 1: write a name"),
        ("a, 1\na, 2", "Line 2: “a” appears twice."),
        ("a, " + "9" * 400, "Line 1: write a name"),
        ("\n".join(f"m{n}, 1" for n in range(MOST + 1)), "More than 200 lines"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, said: str) -> None:
    with pytest.raises(BadLines, match=said):
        pasted_scores(text)
