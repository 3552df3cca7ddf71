"""Means of intents and the mean over all cases, as URS prints them."""

import pytest

from annotate.kinds.intents import NAMES
from judging.ratings.intent_scores import ALL, CaseScore, by_intent, means

# Cases of Factual, Solve, Text, Advice, Creativity, Leisure, and the published means in this order with their "All".
CASES = [259, 404, 82, 116, 86, 83]
PUBLISHED = {
    "GPT-4o": ([8.49, 8.24, 7.86, 7.85, 7.83, 7.65], 8.15),
    "Claude-3-opus": ([7.73, 7.62, 7.66, 7.01, 7.08, 7.16], 7.50),
    "Deepseek-chat": ([6.22, 6.72, 6.81, 6.09, 5.56, 4.93], 6.29),
}


@pytest.mark.parametrize("model", PUBLISHED)
def test_all_follows_from_the_means_of_intents_as_published(model: str) -> None:
    scores, overall = PUBLISHED[model]
    cases = [
        CaseScore(model, number, intent, "zh", score, (1, 10))
        for intent, score, count in zip(NAMES, scores, CASES, strict=False)
        for number in range(count)
    ]
    # The intents' means are rounded to two decimals themselves, so that All is known to half a hundredth and a bit.
    assert means(by_intent(cases), ALL)[model] == pytest.approx(overall, abs=0.01)
