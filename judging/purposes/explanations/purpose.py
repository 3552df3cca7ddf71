"""A run over the explanations of what judges did not count."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from pydantic import BaseModel, ConfigDict, Field, create_model

from annotate.kinds.causes import Cause
from annotate.kinds.protocol import Ask, CallFailed, Prompts
from annotate.models import Item, Job, Project, Run
from annotate.purposes.base import Case, Planned, Purpose
from annotate.services.runs import items as run_items
from judging.models import Judge, Verdict
from judging.purposes.explanations.reading import (
    ANSWERS_AND_QUOTE,
    EXPLANATION_ONLY,
    STEPS,
    Explained,
    Found,
    Named,
    read,
)
from judging.services.blindspots.explanations import ON_PERTURBED, called, decided, gold_texts
from judging.services.blindspots.sightings import known_of, sightings
from judging.services.cases import case_of


class ExplanationOptions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    whose: list[str] = Field(
        default_factory=list,
        title=gettext_noop("Whose explanations"),
        description=gettext_noop("Judges with verdicts on perturbed answers. None ticked means all."),
    )
    shown: Literal["explanation-only", "answers-and-quote"] = Field(
        default="explanation-only",
        title=gettext_noop("What the reader is shown"),
        description=gettext_noop(
            "explanation-only: the explanation and the score, as published. answers-and-quote: the request and both "
            "answers too, and the words that name the mistake have to be quoted; fewer are found so."
        ),
    )


@dataclass(frozen=True)
class ExplanationCase(Case):
    """verdict: whose it is; explained: None where item or answers are no longer what the judge saw."""

    verdict: int
    explained: Explained | None


class Explanations(Purpose):
    slug = "explanations"
    name = gettext_lazy("Explanations of judges")
    about = gettext_lazy("A model reads what judges wrote about mistakes that they did not count: do they name one?")
    options = ExplanationOptions
    takes_accepted = True
    takes_open = False
    unit = gettext_lazy("one a verdict that counted no mistake")

    def suits(self, project: Project) -> bool:
        """Where items hold answers of their own: nothing else says what is perturbed. Asked often, so by no query."""
        return project.kind.judges_answers and project.kind.perturbs

    def options_in(self, project: Project, settled: Mapping[str, str]) -> type[BaseModel]:
        """With the judges to tick."""
        names = tuple(map(str, judges_on_perturbed(project)))
        judges_field = (list[Literal[names]], ExplanationOptions.model_fields["whose"])  # type: ignore[valid-type]
        return (
            create_model("ExplanationForm", __base__=ExplanationOptions, whose=judges_field) if names else self.options
        )

    def scope(self, run: Run) -> str:
        return self.slug

    def scopes(self, project: Project) -> list[str]:
        return [self.slug] if self.suits(project) else []

    def steps(self, run: Run) -> list[str]:
        return [STEPS[_shown(run)]]

    def tried_with(self, project: Project, scope: str, step: str) -> dict[str, Any] | None:
        """With the reader whose prompt it is."""
        using = [reader for reader, reader_step in STEPS.items() if reader_step == step and scope == self.slug]
        return {"shown": using[0]} if using else None

    def plan(self, run: Run) -> Iterator[Planned]:
        """Verdicts that nobody has looked at in this way, of current answers, by the report's own counting."""
        reader = _shown(run)
        if run.purpose == self.slug and run.options.get("shown") != reader:
            run.options["shown"] = reader
            Run.objects.filter(pk=run.pk).update(options=run.options)
        judge_names = ExplanationOptions.model_validate(run.options).whose
        items = run_items.chosen(run).values("pk")
        corpus = known_of(run.project)
        for judge in judges_on_perturbed(run.project):
            if not judge_names or str(judge) in judge_names:
                overlooked = [
                    sighting
                    for sighting in sightings(judge, corpus)
                    if not sighting.noticed and not sighting.subject.invariant
                ]
                verdicts = [pk for sighting in overlooked for pk in sighting.verdicts]
                unexamined_verdicts = unexamined(judge, reader).filter(pk__in=verdicts, item__in=items).order_by("pk")
                yield from (
                    Planned(f"verdict/{pk}", item) for pk, item in unexamined_verdicts.values_list("pk", "item_id")
                )

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        """Four queries however many jobs."""
        related = ("first__author", "second__author", "reference")
        verdicts = Verdict.objects.select_related(*related).in_bulk([_pk(job) for job in jobs])
        items = Item.objects.select_related("base", "project").in_bulk([job.item_id for job in jobs if job.item_id])
        reader = _shown(run)
        gold = gold_texts(verdict.item_id for verdict in verdicts.values()) if reader == ANSWERS_AND_QUOTE else None
        cases: list[Case] = []
        for job in jobs:
            verdict, item = verdicts.get(_pk(job)), items.get(job.item_id or 0)
            if verdict is not None and item is not None:
                job.run, explained = run, _explained(verdict, item, gold)
                cases.append(ExplanationCase(job, item, prompts, run.options, verdict.pk, explained))
        return cases

    async def work(self, case: Case, ask: Ask) -> Found | Named:
        assert isinstance(case, ExplanationCase)
        if case.explained is None:
            detail = _("The item or its gold answer is no longer what the judge saw.")
            raise CallFailed(Cause.UNSUITABLE, detail)
        return await read(case.explained, case.prompts, ask)

    def store(self, case: Case, outcome: Found | Named) -> None:
        assert isinstance(case, ExplanationCase)
        reader = ANSWERS_AND_QUOTE if isinstance(outcome, Found) else EXPLANATION_ONLY
        Verdict.objects.filter(pk=case.verdict).update(found_in_explanation=outcome.found, found_from=reader)

    def outcomes(self, run: Run, items: list[int]) -> dict[int, Any]:
        """item -> verdict -> whether its explanation names a mistake."""
        verdicts_by_item: dict[int, Any] = {}
        looked_at = [_pk(job) for job in Job.objects.filter(run=run, item__in=items, state=Job.State.DONE)]
        rows = Verdict.objects.filter(pk__in=looked_at).order_by("pk")
        for item, pk, names_mistake in rows.values_list("item_id", "pk", "found_in_explanation"):
            verdicts_by_item.setdefault(item, {})[str(pk)] = names_mistake
        return verdicts_by_item


PURPOSE = Explanations()


def judges_on_perturbed(project: Project) -> list[Judge]:
    """Those that have said anything about a perturbed answer, by name."""
    about = Exists(Verdict.objects.filter(ON_PERTURBED, judge=OuterRef("pk")))
    return list(Judge.objects.filter(about, project=project).order_by("name", "strategy", "variant"))


def unexamined(judge: Judge, reader: str) -> QuerySet[Verdict]:
    """Verdicts on perturbed answers whose explanation nobody has read, or only a reader that was shown other things.

    What a file says about an explanation stays.
    """
    by_others = set(STEPS) - {reader}
    unread = Verdict.objects.read().filter(ON_PERTURBED, judge=judge)
    return unread.filter(Q(found_in_explanation=None) | Q(found_from__in=by_others)).exclude(reason="")


def _shown(run: Run) -> str:
    return str(run.options.get("shown") or EXPLANATION_ONLY)


def _pk(job: Job) -> int:
    return int(job.subject.rpartition("/")[2])


def _explained(verdict: Verdict, item: Item, gold: Mapping[int, str] | None) -> Explained | None:
    """gold: texts by item, for the strict reader; None for the published one, which needs none."""
    case = case_of(item)
    if case is None or case.judged.sha256 != verdict.case_sha or (gold is not None and item.pk not in gold):
        return None
    return Explained(
        judged=case.judged,
        perturbed=(verdict.second or verdict.first).text,
        gold=gold[item.pk] if gold is not None else "",
        explanation=verdict.reason,
        called=called(verdict),
        language=case.language,
        score=decided(verdict),
        shown=EXPLANATION_ONLY if gold is None else ANSWERS_AND_QUOTE,
    )
