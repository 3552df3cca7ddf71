"""A strategy about two answers that is as small as can be: the longer one wins, by whatever a judge says."""

import pytest

from annotate.kinds.protocol import Ask, Prompts, Question
from judging.strategies import strategies
from judging.strategies.base import Opinion, Piece, Shown, Strategy
from judging.strategies.material import asked

FAIR = Prompts({("compare", "en"): "Which is longer?\n\n{{ answer }}\n\n{{ second }}"}, {("compare", "en"): 1})


class Longer(Strategy):
    slug = "longer"
    family = "longer"
    name = "Longer"
    about = "The longer answer wins."
    steps = ("compare",)
    pairwise = True

    async def judge(self, shown: Shown, prompts: Prompts, ask: Ask) -> Opinion:
        assert shown.second is not None
        messages = asked(prompts.text("compare", shown.language), shown).messages()
        await ask(Question(f"{shown.at}/compare", messages))
        first, second = float(len(shown.first)), float(len(shown.second))
        piece = Piece("length", score_first=first, score_second=second)
        return Opinion(first, second, choice="first" if first > second else "second", pieces=[piece])


def with_pairs(monkeypatch: pytest.MonkeyPatch, *places: str) -> None:
    """As if its folder stood beside the others; places: further names that lead to the list of strategies."""
    known = {**strategies(), Longer.slug: Longer()}
    for place in ("judging.services.judgements.options.strategies", *places):
        monkeypatch.setattr(place, lambda: known)
