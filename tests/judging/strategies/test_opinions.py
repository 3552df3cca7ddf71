"""What an opinion of a judge prefers, and which weights of a checklist count as numbers."""

import pytest

from judging.strategies.checklist.checklist_replies import weight_of
from judging.strategies.strategy import Opinion


@pytest.mark.parametrize(
    ("opinion", "preferred"),
    [
        (Opinion(choice="both_bad", score_first=5, score_second=1), "both_bad"),
        (Opinion(score_first=5, score_second=1), "first"),
        (Opinion(score_first=1, score_second=5), "second"),
        (Opinion(score_first=3, score_second=3), "tie"),
        (Opinion(score_first=3), ""),
        (Opinion(), ""),
    ],
)
def test_a_choice_counts_before_the_scores_of_a_pair(opinion: Opinion, preferred: str) -> None:
    assert opinion.preferred == preferred


@pytest.mark.parametrize(
    ("written", "weight"),
    [
        (0.4, 0.4),
        (2, 2.0),
        ("0.4", 0.4),
        (" ０.４ ", 0.4),
        ("40%", 0.4),
        ("-1", -1.0),
        ("1e12", None),
        ("inf", None),
        ("nan", None),
        ("much", None),
        ("", None),
        (True, None),
        (None, None),
        ([0.4], None),
    ],
)
def test_a_weight_is_a_number_also_as_text_or_percent(written: object, weight: float | None) -> None:
    assert weight_of(written) == weight
