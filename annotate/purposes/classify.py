"""Classification: each query's task or intent by the project's taxonomy; a label for each item, not a suggestion."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotate.engine.purposes import Case, JobPlan, Purpose
from annotate.kinds.protocol import Ask, Prompts
from annotate.kinds.values import ModelClassification
from annotate.models import Classification, Job, Run
from annotate.purposes.preannotate import facts_of, items_of, language


class Classify(Purpose):
    slug = "classify"
    name = _("Classification")
    about = _(
        "A model labels the task or intent of each item. Its accuracy is measured by the labels that people accept."
    )
    takes_accepted = True

    def steps(self, run: Run) -> list[str]:
        return list(run.project.kind.classification_steps)

    def plan(self, run: Run) -> Iterator[JobPlan]:
        return items_of(run, able=bool(run.project.kind.classification_steps))

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        cases = super().load(run, jobs, prompts)
        for case in cases:
            case.job.run = run
            case.item.project = run.project
        return cases

    async def work(self, case: Case, ask: Ask) -> ModelClassification:
        kind, options = case.item.project.kind, case.item.project.kind_options
        facts = facts_of(case, kind)
        return await kind.classify(facts, options, case.prompts, ask, language=language(case.item, kind, facts))

    def store(self, case: Case, outcome: ModelClassification) -> None:
        """One row for each item and run; a result that is read again replaces it, because nobody works on it."""
        label, group = ";".join(outcome.label)[:240], outcome.label[0][:120]
        Classification.objects.update_or_create(
            run_id=case.job.run_id,
            item_id=case.item.pk,
            defaults={"label": label, "group": group, "listed": outcome.listed},
        )

    def outcomes(self, run: Run, items: list[int]) -> dict[int, Any]:
        return dict(Classification.objects.filter(run=run, item__in=items).values_list("item_id", "label"))


PURPOSE = Classify()
