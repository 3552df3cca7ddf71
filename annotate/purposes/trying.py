"""Trial of a prompt's wording on a few items: the work of another purpose, of which only the calls are kept."""

from collections.abc import Callable, Container, Iterator, Sequence
from itertools import islice, zip_longest
from typing import Any, TypeVar

from django.utils.translation import gettext_lazy as _

from annotate.engine.purposes import Case, JobPlan, Purpose
from annotate.kinds.protocol import Ask, Prompts
from annotate.kinds.values import BadShape
from annotate.models import Item, Job, Project, PromptVersion, Run

SLUG = "try_prompt"
LOOKED_AT = 5000  # items that are searched for those that the prompt is asked about
TOGETHER = 100
Name = TypeVar("Name", int, str)


class TryPrompt(Purpose):
    """Options: purpose (whose work it is), version (the wording), beside (a run whose items are used again)."""

    slug = SLUG
    name = _("Prompt test")
    about = _("Tests a version on a few items before it is used. Nobody gets a suggestion from it.")
    offered = False
    takes_accepted = True

    def scope(self, run: Run) -> str:
        return work_of(run).scope(run)

    def steps(self, run: Run) -> list[str]:
        return work_of(run).steps(run)

    def reads_guidelines(self, run: Run) -> bool:
        return work_of(run).reads_guidelines(run)

    def plan(self, run: Run) -> Iterator[JobPlan]:
        if other_run := run.options.get("beside"):
            for subject, item in Job.objects.filter(run=other_run).order_by("pk").values_list("subject", "item_id"):
                yield JobPlan(subject, item)
            return
        candidates = list(self._candidates(run))
        labelled = work_of(run).said_by_people(run.project, [candidate.subject for candidate, _group in candidates])
        yield from mixed(candidates, labelled)

    def _candidates(self, run: Run) -> Iterator[tuple[JobPlan, str]]:
        """Jobs that use the prompt, each with the group of its item."""
        version = PromptVersion.objects.get(pk=run.options["version"])
        languages = set(run.prompts.filter(step=version.step).values_list("language", flat=True))
        keys = run.options.get("keys")
        planned = islice(work_of(run).plan(run), None if keys else LOOKED_AT)
        while batch := list(islice(planned, TOGETHER)):
            items = Item.objects.in_bulk([candidate.item_id for candidate in batch if candidate.item_id])
            for candidate in batch:
                item = items.get(candidate.item_id or 0)
                if item is None and not keys:
                    yield candidate, ""
                elif (
                    item is not None and (not keys or item.key in keys) and _uses_wording(item, run, version, languages)
                ):
                    yield candidate, item.group

    def calls_expected(self, run: Run) -> float:
        return work_of(run).calls_expected(run)

    def texts(self, run: Run) -> Sequence[str]:
        return work_of(run).texts(run)

    def text_scopes(self, project: Project) -> Sequence[str]:
        return []  # the purposes that it tries list theirs

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        return work_of(run).load(run, jobs, prompts)

    async def work(self, case: Case, ask: Ask) -> Any:
        return await _purpose(case.options["purpose"]).work(case, ask)

    def store(self, case: Case, outcome: Any) -> None:
        """Stores nothing: the outcome is read from the ledger when somebody looks."""

    def outcomes(self, run: Run, items: list[int]) -> dict[int, Any]:
        return self._outcomes(run, items, lambda case: case.item.pk)

    def by_subject(self, run: Run, items: list[int]) -> dict[str, Any]:
        """subject of a job -> its outcome."""
        return self._outcomes(run, items, lambda case: case.job.subject)

    def _outcomes(self, run: Run, items: list[int], by: Callable[[Case], Name]) -> dict[Name, Any]:
        from annotate.runs.plan import prompts_of
        from annotate.runs.reparse import replayed  # which knows the purposes

        jobs = list(Job.objects.filter(run=run, item__in=items, state=Job.State.DONE).order_by("pk"))
        cases = self.load(run, jobs, prompts_of(run))
        outcomes = zip(cases, replayed(run, self, cases), strict=True)
        return {by(case): outcome for case, outcome in outcomes if not isinstance(outcome, BaseException)}


def mixed(candidates: Sequence[tuple[JobPlan, str]], labelled: Container[str]) -> Iterator[JobPlan]:
    """Jobs in an order that alternates between groups and items, first those about which people have said something.

    Of an item with several jobs, another job than for the item before, so that authors are mixed too.
    """
    by_item: dict[object, list[JobPlan]] = {}
    groups: dict[object, str] = {}
    for candidate, group in candidates:
        by_item.setdefault(candidate.item_id or candidate.subject, []).append(candidate)
        groups[candidate.item_id or candidate.subject] = group
    jobs_by_group: dict[str, list[list[JobPlan]]] = {}
    for index, (item, jobs) in enumerate(by_item.items()):
        turned = jobs[index % len(jobs) :] + jobs[: index % len(jobs)]
        jobs_by_group.setdefault(groups[item], []).append(sorted(turned, key=lambda job: job.subject not in labelled))
    for items in jobs_by_group.values():
        items.sort(key=lambda jobs: jobs[0].subject not in labelled)
    rounds = zip_longest(*jobs_by_group.values())
    order = [jobs for entries in rounds for jobs in entries if jobs is not None]
    for batch in zip_longest(*order):
        yield from (job for job in batch if job is not None)


def work_of(run: Run) -> Purpose:
    return _purpose(run.options["purpose"])


def _purpose(slug: str) -> Purpose:
    from annotate.engine.purposes import purposes  # which imports this module

    return purposes()[slug]


def _uses_wording(item: Item, run: Run, version: PromptVersion, languages: set[str]) -> bool:
    """Whether this wording would be used for the item: it is in the item's language, for a step that the item has.

    A judge's step may have the same name as a step of the kind; the kind's rule does not apply to it.
    """
    from annotate.purposes.preannotate import language

    kind = run.project.kind
    if version.scope != kind.slug:
        spoken = item.language.split("-")[0] or "en"
        return (spoken if spoken in languages else "en") == version.language
    try:
        facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
    except BadShape:
        return False
    spoken = language(item, kind, facts)
    used = spoken if spoken in languages else "en"
    return used == version.language and kind.asks(version.step, facts)


PURPOSE = TryPrompt()
