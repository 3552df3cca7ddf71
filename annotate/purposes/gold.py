"""Gold answers by a model, for items that have none: suggestions, which people verify as far as the project wants."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotate.kinds.base import Kind
from annotate.kinds.protocol import Ask, Prompts
from annotate.kinds.values import BadShape, Suggested
from annotate.models import Run
from annotate.purposes.base import Planned
from annotate.purposes.preannotate import Preannotate
from annotate.services.runs import items as run_items


class GoldAnswers(Preannotate):
    """A job for every undecided item without a gold answer; what is stored of it is a suggestion like any other."""

    slug = "gold_answers"
    name = _("Gold answers")
    about = _("A model answers the prompts that have no gold answer; people then verify all, or the project's share.")

    def steps(self, run: Run) -> list[str]:
        return list(run.project.kind.gold_steps)

    def reads_guidelines(self, run: Run) -> bool:
        return False

    def plan(self, run: Run) -> Iterator[Planned]:
        kind = run.project.kind
        if not kind.gold_steps:
            return
        items = run_items.chosen(run).values_list("pk", "facts", "schema")
        for pk, facts, schema in items.iterator(chunk_size=500):
            if _lacks_gold(kind, kind.upgrade(facts, schema)):
                yield Planned(f"item/{pk}", pk)

    def calls_expected(self, run: Run) -> float:
        return 1.0

    async def suggested(
        self, kind: Kind, facts: Any, options: Any, prompts: Prompts, ask: Ask, language: str
    ) -> Suggested:
        return await kind.answer_as_gold(facts, options, prompts, ask, language=language)


PURPOSE = GoldAnswers()


def _lacks_gold(kind: Kind, facts: Any) -> bool:
    """An item whose facts do not read gets its job, which then says so."""
    try:
        return kind.lacks_gold(kind.read_facts(facts))
    except BadShape:
        return True
