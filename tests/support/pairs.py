"""A strategy about two answers that is as small as can be: the longer one wins, by whatever a judge says."""

import pytest

from annotate.kinds.protocol import Ask, Prompts, Question
from judging.readers.scales import Scale
from judging.strategies.questions import case_message
from judging.strategies.strategy import Opinion, OpinionPart, ShownCase, Strategy, strategies

FAIR = Prompts({("compare", "en"): "Which is longer?\n\n{{ answer }}\n\n{{ second }}"}, {("compare", "en"): 1})


class Longer(Strategy):
    slug = "longer"
    family = "longer"
    name = "Longer"
    about = "The longer answer wins."
    steps = ("compare",)
    pairwise = True
    scale = Scale(0, 10_000)

    def variant(self, options: object) -> str:
        return ""  # nothing compares its lengths with the scores of others

    async def judge(self, shown: ShownCase, prompts: Prompts, ask: Ask) -> Opinion:
        assert shown.second is not None
        messages = case_message(prompts.text("compare", shown.language), shown).messages()
        await ask(Question(f"{shown.at}/compare", messages))
        first, second = float(len(shown.first)), float(len(shown.second))
        piece = OpinionPart("length", score_first=first, score_second=second)
        return Opinion(first, second, choice="first" if first > second else "second", pieces=[piece])


def with_pairs(monkeypatch: pytest.MonkeyPatch, *places: str) -> None:
    """As if its folder stood beside the others; places: further names that lead to the list of strategies."""
    known = {**strategies(), Longer.slug: Longer()}
    for place in ("judging.verdicts.judge_options.strategies", *places):
        monkeypatch.setattr(place, lambda: known)
