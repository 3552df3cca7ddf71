"""Gold answers by a model, for items that have none: suggestions, which people verify as far as the project wants."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotate.engine.purposes import JobPlan, NoOptions
from annotate.kinds.contract import Kind
from annotate.kinds.protocol import Ask, Prompts
from annotate.kinds.values import BadShape, ModelSuggestion
from annotate.models import Run
from annotate.purposes.preannotate import Preannotate
from annotate.runs import item_selection as run_items


class GoldAnswers(Preannotate):
    """A job for every undecided item without a gold answer; its outcome is stored as a normal suggestion."""

    slug = "gold_answers"
    name = _("Gold answers")
    about = _(
        "A model answers the prompts without a gold answer; people then verify all of them, or the project's share."
    )

    options = NoOptions

    def steps(self, run: Run) -> list[str]:
        return list(run.project.kind.gold_steps)

    def reads_guidelines(self, run: Run) -> bool:
        return False

    def plan(self, run: Run) -> Iterator[JobPlan]:
        kind = run.project.kind
        if not kind.gold_steps:
            return
        items = run_items.chosen_items(run).values_list("pk", "facts", "schema")
        for pk, facts, schema in items.iterator(chunk_size=500):
            if _lacks_gold(kind, kind.upgrade(facts, schema)):
                yield JobPlan(f"item/{pk}", pk)

    def calls_expected(self, run: Run) -> float:
        return 1.0

    async def suggested(
        self, kind: Kind, facts: Any, options: Any, prompts: Prompts, ask: Ask, language: str
    ) -> ModelSuggestion:
        return await kind.answer_as_gold(facts, options, prompts, ask, language=language)


PURPOSE = GoldAnswers()


def _lacks_gold(kind: Kind, facts: Any) -> bool:
    """An item with unreadable facts gets a job too, which then reports it."""
    try:
        return kind.lacks_gold(kind.read_facts(facts))
    except BadShape:
        return True
