"""Bridging: a model proposes criteria for judgements that have none; people approve or edit the suggestions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import BaseModel, ConfigDict, Field

from annotate.engine.purposes import Case, JobPlan
from annotate.kinds.contract import Kind
from annotate.kinds.protocol import Ask, Prompts
from annotate.kinds.values import BadShape, ModelSuggestion
from annotate.models import Annotation, Item, Run, Slot
from annotate.purposes.preannotate import Preannotate
from annotate.runs import item_selection as run_items

FIRST = 50  # priority of items with something to approve
# More precise reasons for a part of the items of which "there is nothing to ask about them" is said.
WHY = {
    "orders": _("of these: the judge gave a different verdict in the other order"),
    "reference": _("of these: the judge saw a reference answer"),
}


class BridgeOptions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    again: bool = Field(
        default=False,
        title=gettext_noop("Propose again"),
        description=gettext_noop("Also for items that already have a proposal; the older one stays in their history."),
    )


class Bridge(Preannotate):
    """A job for every undecided item with a judgement, unless there is a reason against it."""

    slug = "bridge"
    name = _("Bridging")
    options = BridgeOptions
    about = _("A model proposes the criteria behind an imported judgement; people approve or edit them.")

    def steps(self, run: Run) -> list[str]:
        return list(run.project.kind.bridging_steps)

    def plan(self, run: Run) -> Iterator[JobPlan]:
        limit, planned = run.options.get("limit"), 0
        for pk, why in self._looked_at(run):
            if limit is not None and planned >= limit:
                return
            if not why:
                planned += 1
                yield JobPlan(f"item/{pk}", pk)

    def left_out(self, run: Run) -> Sequence[tuple[str | Promise, int]]:
        counts = Counter(why for _pk, why in self._looked_at(run))
        return [(words, counts[why]) for why, words in WHY.items()]

    def calls_of(self, kind: Kind, facts: Any, options: Any) -> int:
        return kind.bridging_calls(facts, options)

    async def suggested(
        self, kind: Kind, facts: Any, options: Any, prompts: Prompts, ask: Ask, language: str
    ) -> ModelSuggestion:
        return await kind.bridge(facts, options, prompts, ask, language=language)

    def store(self, case: Case, outcome: ModelSuggestion) -> None:
        """As any suggestion; the item is also handed out before items without a proposal."""
        super().store(case, outcome)
        if Item.objects.filter(pk=case.item.pk, priority=0).update(priority=FIRST):
            Slot.objects.open().filter(item=case.item.pk).update(priority=FIRST)

    @staticmethod
    def _looked_at(run: Run) -> Iterator[tuple[int, str]]:
        """(item, why it gets no job, or ""), streamed. An item with unreadable facts gets a job, which reports it."""
        kind = run.project.kind
        if not kind.bridging_steps:
            return
        candidates = run_items.chosen_items(run)
        if not BridgeOptions.model_validate(run.options).again:
            candidates = candidates.exclude(Exists(proposals().filter(item=OuterRef("pk"))))
        items = candidates.values_list("pk", "facts", "schema")
        for pk, facts, schema in items.iterator(chunk_size=500):
            try:
                yield pk, kind.set_aside(kind.read_facts(kind.upgrade(facts, schema)))
            except BadShape:
                yield pk, ""


PURPOSE = Bridge()


def proposals() -> QuerySet[Annotation]:
    """The proposals of such runs, for all items."""
    return Annotation.objects.filter(run__purpose=Bridge.slug, author=None)
