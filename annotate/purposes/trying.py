"""A wording of a prompt tried on a few items: the work of another purpose, of which only the calls are kept."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotate.kinds.values import BadShape
from annotate.llm.asking import Ask, Prompts
from annotate.models import Item, Job, PromptVersion, Run
from annotate.purposes.base import Case, Planned, Purpose

SLUG = "try_prompt"
LOOKED_AT = 5000  # items among which those are sought that the prompt is asked about
TOGETHER = 100


class TryPrompt(Purpose):
    """Options: purpose (whose work it is), version (the wording), beside (a run whose items are taken again)."""

    slug = SLUG
    name = _("Trying a prompt")
    about = _("A few items, asked with a wording before it is used. Nothing is suggested to anybody.")
    offered = False
    takes_accepted = True

    def scope(self, run: Run) -> str:
        return work_of(run).scope(run)

    def steps(self, run: Run) -> list[str]:
        return work_of(run).steps(run)

    def plan(self, run: Run) -> Iterator[Planned]:
        if beside := run.options.get("beside"):
            for subject, item in Job.objects.filter(run=beside).order_by("pk").values_list("subject", "item_id"):
                yield Planned(subject, item)
            return
        version = PromptVersion.objects.get(pk=run.options["version"])
        languages = set(run.prompts.filter(step=version.step).values_list("language", flat=True))
        planned = islice(work_of(run).plan(run), LOOKED_AT)
        while batch := list(islice(planned, TOGETHER)):
            items = Item.objects.in_bulk([one.item_id for one in batch if one.item_id])
            yield from (one for one in batch if not one.item_id or _asked(items[one.item_id], run, version, languages))

    def calls_expected(self, run: Run) -> float:
        return work_of(run).calls_expected(run)

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        return work_of(run).load(run, jobs, prompts)

    async def work(self, case: Case, ask: Ask) -> Any:
        return await _purpose(case.options["purpose"]).work(case, ask)

    def store(self, case: Case, outcome: Any) -> None:
        """Nothing: what came of it is read from the ledger when somebody looks."""

    def outcomes(self, run: Run, items: list[int]) -> dict[int, Any]:
        from annotate.services.runs.planning import prompts_of
        from annotate.services.runs.rereading import replayed  # which knows the purposes

        jobs = list(Job.objects.filter(run=run, item__in=items, state=Job.State.DONE).order_by("pk"))
        cases = self.load(run, jobs, prompts_of(run))
        found = zip(cases, replayed(run, self, cases), strict=True)
        return {case.item.pk: outcome for case, outcome in found if not isinstance(outcome, BaseException)}


def work_of(run: Run) -> Purpose:
    return _purpose(run.options["purpose"])


def _purpose(slug: str) -> Purpose:
    from annotate.purposes import purposes  # which imports this module

    return purposes()[slug]


def _asked(item: Item, run: Run, version: PromptVersion, languages: set[str]) -> bool:
    """Whether this wording would be used for the item: of its language, in a step that it is asked about."""
    from annotate.purposes.preannotate import language

    kind = run.project.kind
    try:
        facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
    except BadShape:
        return False
    spoken = language(item, kind, facts)
    used = spoken if spoken in languages else "en"
    return used == version.language and kind.asks(version.step, facts)


PURPOSE = TryPrompt()
