"""The purpose of judging runs: verdicts of a model about answers, one job per answer or pair.

The strategy decides how the judge is asked; judging/verdicts/judge_forms.py has the options on pages.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

from annotate.definitions.actions import texts_of
from annotate.engine.purposes import Case, JobPlan, OptionChoice, PeopleSaid, Purpose, RawStep
from annotate.errors import Refused
from annotate.kinds.mixins import MATERIAL
from annotate.kinds.protocol import Ask, CallFailed, Cause, OwnQuestions, Prompts
from annotate.models import Item, Job, Project, Run
from judging.answers import store
from judging.answers.cases import cases, judgeable
from judging.models import Author, JudgeRun
from judging.ratings import trials
from judging.strategies import criteria
from judging.strategies.orders import OrderJudgements
from judging.strategies.orders import judged as judged_in_order
from judging.strategies.strategy import ShownCase, Strategy, strategies
from judging.verdicts import subjects, verdict_store
from judging.verdicts.judge_forms import form_options, options_in_words, unjudged_answers, why_nothing
from judging.verdicts.judge_identity import assign_judge, judge_at_storing
from judging.verdicts.judge_options import (
    JudgeOptions,
    JudgeRunOptions,
    options_of,
    own_options,
    refuse_unless_possible,
    settled,
    strategies_for,
)
from judging.verdicts.subjects import JudgeSubject

DEFINITION = "definition"  # among the options of a run: the version whose questions are asked


@dataclass(frozen=True)
class JudgeCase(Case):
    """subject: what is shown; wanted: how it is asked. questions: as they were when the run was planned."""

    subject: JudgeSubject
    wanted: JudgeRunOptions
    questions: OwnQuestions | None = None


class JudgePurpose(Purpose):
    slug = "judge"
    name = _("Judging")
    about = _(
        "A model judges the answers to accepted items. Scores and the leaderboard are computed from its verdicts."
    )
    options = JudgeOptions
    takes_accepted = True
    takes_open = False
    unit = _("one per answer, or one per pair of answers")

    def scopes(self, project: Project) -> list[str]:
        return list(dict.fromkeys(strategy.family for strategy in strategies_for(project)))

    def reads_guidelines(self, run: Run) -> bool:
        """A judge of own questions reads what people read."""
        return bool(run.options.get("strategy")) and options_of(run).strategy.asks_questions

    def texts(self, run: Run) -> list[str]:
        judge_request = options_of(run) if run.options.get("strategy") else None
        return [*super().texts(run), *(judge_request.strategy.texts(judge_request.own) if judge_request else ())]

    def text_scopes(self, project: Project) -> list[str]:
        patterns = [pattern for strategy in strategies_for(project) for pattern in strategy.texts(strategy.options())]
        scopes = [*super().text_scopes(project), *(pattern.partition(".")[0] for pattern in patterns)]
        both_sets = criteria.SCOPES.values() if criteria.SCOPES[criteria.GENERIC] in scopes else ()
        return list(dict.fromkeys([*scopes, *both_sets]))

    def tried_with(self, project: Project, scope: str, step: str) -> dict[str, Any] | None:
        """The options of the last run that used it; without such a run, a strategy of the family with such a step."""
        using = [
            strategy for strategy in strategies_for(project) if strategy.family == scope and step in strategy.steps
        ]
        if not using:
            return None
        ran = Run.objects.filter(
            project=project, purpose=self.slug, options__strategy__in=[strategy.slug for strategy in using]
        )
        if last_run := ran.order_by("-pk").first():
            last_options = {
                name: last_run.options[name] for name in ("strategy", "reference") if name in last_run.options
            }
            return last_options | own_options(strategies()[last_run.options["strategy"]], last_run.options)
        simplest = min(using, key=lambda strategy: strategy.needs_reference)
        return {"strategy": simplest.slug} | (
            {"reference": _reference(project, simplest)} if simplest.needs_reference else {}
        )

    def said_by_people(self, project: Project, subjects: Sequence[str]) -> Mapping[str, PeopleSaid]:
        return trials.peoples_votes(project, subjects)

    def names_of(self, subjects: Sequence[str]) -> Mapping[str, str]:
        return trials.names_of(subjects)

    def raw_step(self, scope: str, step: str) -> RawStep | None:
        return verdict_store.raw_step(scope, step)

    def suits(self, project: Project) -> bool:
        return project.kind.can_be_judged and bool(strategies_for(project))

    def takes_undecided(self, project: Project) -> bool:
        return project.kind.brings_answers

    def first_choice(self, project: Project) -> OptionChoice:
        """What is made for the project's items comes first, what suits none of them last."""
        remarks = _remarks(project)
        rank: dict[str | Promise, int] = {MADE_FOR_THEM: 0, SUITS_NONE: 2}
        offered = sorted(strategies_for(project), key=lambda strategy: rank.get(remarks.get(strategy.slug, ""), 1))
        values = [(strategy.slug, strategy.name, strategy.about) for strategy in offered]
        return OptionChoice("strategy", _("choose a strategy"), values, remarks)

    def options_in(self, project: Project, settled: Mapping[str, str]) -> type[BaseModel]:
        return form_options(project, strategies()[settled["strategy"]])

    def left_out(self, run: Run) -> Sequence[tuple[str | Promise, int]]:
        return unjudged_answers(run, options_of(run))

    def why_nothing(self, run: Run) -> Sequence[str]:
        return why_nothing(run, options_of(run))

    def told_options(self, run: Run) -> Mapping[str, Any]:
        return options_in_words(run)

    def scope(self, run: Run) -> str:
        """The family of its strategy; "" while none is chosen."""
        return options_of(run).strategy.family if run.options.get("strategy") else ""

    def steps(self, run: Run) -> list[str]:
        return list(options_of(run).strategy.steps) if run.options.get("strategy") else []

    def plan(self, run: Run) -> Iterator[JobPlan]:
        """Gives the run its judge. Raises Refused if something that the options name is missing."""
        judge_request = options_of(run)
        store.ensure(run.project)
        refuse_unless_possible(run.project, judge_request)
        if run.purpose == self.slug and not JudgeRun.objects.filter(run=run).exists():
            run.options |= settled(judge_request)
            if judge_request.strategy.asks_questions:
                run.options[DEFINITION] = run.project.kind.schema
            Run.objects.filter(pk=run.pk).update(options=run.options)
            assign_judge(run, judge_request, verdict_store.variant_of(run, judge_request))
        yield from subjects.planned(run, judge_request)

    def calls_expected(self, run: Run) -> float:
        judge_request = options_of(run)  # of a run that is being planned, so its strategy exists
        strategy = judge_request.strategy
        calls = strategy.calls_expected(judge_request.own)
        if strategy.asks_questions and (about := list(_calls_about_items(run, judge_request))):
            calls = sum(about) / len(about)
        return calls * len(judge_request.orders)

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        """Always three or four queries. No cases if the strategy no longer exists: then nothing can be asked."""
        try:
            judge_request = options_of(run)
        except Refused:
            return []
        subject_by_job, questions = subjects.loaded(run, judge_request, jobs), _questions_of(run, judge_request)
        cases = []
        for job in jobs:
            if job.pk in subject_by_job and subject_by_job[job.pk].case is not None:
                job.run, subject = run, subject_by_job[job.pk]
                assert subject.case is not None
                cases.append(JudgeCase(job, subject.case.item, prompts, run.options, subject, judge_request, questions))
        return list(cases)

    async def work(self, case: Case, ask: Ask) -> OrderJudgements:
        assert isinstance(case, JudgeCase)
        judge_request, judge_view = case.wanted, _shown_case(case)
        return OrderJudgements(
            [
                await judged_in_order(
                    judge_request.strategy, judge_view, case.prompts, ask, repeat=repeat, swapped=swapped
                )
                for repeat, swapped in judge_request.orders
            ]
        )

    def store(self, case: Case, outcome: OrderJudgements) -> None:
        self.store_together([(case, outcome)])

    def store_together(self, stored: Sequence[tuple[Case, OrderJudgements]]) -> None:
        jobs_by_run: dict[Run, list[Job]] = {}
        for case, _outcome in stored:
            jobs_by_run.setdefault(case.job.run, []).append(case.job)
        judges = {run.pk: judge_at_storing(run, jobs) for run, jobs in jobs_by_run.items()}
        verdict_store.store_verdicts(
            [_verdicts_to_keep(case, outcome, judges[case.job.run_id]) for case, outcome in stored]
        )

    def outcomes(self, run: Run, items: list[int]) -> dict[int, Any]:
        return verdict_store.outcomes(run, items)


def _calls_about_items(run: Run, judge_request: JudgeRunOptions) -> Iterator[float]:
    """Of the first items of a run."""
    items = Item.objects.filter(pk__in=run.jobs.order_by("pk").values("item")[:CALLS_LOOKED_AT])
    for case in cases(items):
        _author, material = case.answers[MATERIAL]
        yield judge_request.strategy.calls_about(case.judged, material, judge_request.own)


CALLS_LOOKED_AT = 200  # items by which calls are estimated
MADE_FOR_THEM = gettext_lazy("made for these items")
SUITS_NONE = gettext_lazy("the items lack what it needs")
LOOKED_AT = 20  # items by which strategies are sorted


def _remarks(project: Project) -> dict[str, str | Promise]:
    """strategy -> what the first items that can be judged say about it; {} while there are none."""
    judged_items = [case.judged for case in cases(judgeable(project).order_by("pk")[:LOOKED_AT])]
    remarks: dict[str, str | Promise] = {}
    for strategy in strategies_for(project) if judged_items else ():
        if not any(strategy.suits(judged_item) for judged_item in judged_items):
            remarks[strategy.slug] = SUITS_NONE
        elif strategy.for_some_items:
            remarks[strategy.slug] = MADE_FOR_THEM
    return remarks


def _reference(project: Project, strategy: Strategy) -> str:
    """The author of the reference answers. Raises Refused if there is none."""
    store.ensure(project)  # so that the items' own answers are stored
    trusted = store.trusted(project)
    if Author.objects.filter(project=project, name=trusted).exists():
        return trusted
    message = _(
        "The strategy “%(name)s” compares answers with a reference, and this project has none. Plan a run "
        "with a reference first; testing a prompt uses the options of the last run."
    )
    raise Refused(str(message % {"name": strategy.name}))


def _verdicts_to_keep(case: Case, outcome: OrderJudgements, judge: int) -> verdict_store.StoredVerdicts:
    assert isinstance(case, JudgeCase)
    return verdict_store.StoredVerdicts(case.job, judge, case.subject, outcome.each)


def _questions_of(run: Run, judge_request: JudgeRunOptions) -> OwnQuestions | None:
    """The questions of the definition that the run was planned with; the newest where it is only tried. One query."""
    if not judge_request.strategy.asks_questions:
        return None
    kind, version = run.project.kind, run.options.get(DEFINITION)
    return (
        kind if version in (None, kind.schema) else kind.by_definition(texts_of(run.project)[:version])
    ).own_questions


def _shown_case(case: JudgeCase) -> ShownCase:
    """Raises CallFailed if the item or an answer has changed so that there is nothing to judge any more."""
    subject, judge_request = case.subject, case.wanted
    assert subject.case is not None
    if judge_request.beside and subject.reference is None:
        reference_name = (
            repr(judge_request.given.reference)
            if judge_request.given.reference
            else "that is the author's own first one"
        )
        raise CallFailed(Cause.UNSUITABLE, f"There is no answer of the reference {reference_name} any more.")
    if not judge_request.strategy.fits(subject.case.judged, judge_request.own):
        raise CallFailed(Cause.UNSUITABLE, "The item has changed and can no longer be judged this way.")
    return ShownCase(
        judged=replace(subject.case.judged, questions=case.questions),
        first=subject.first.text,
        second=subject.second.text if subject.second else None,
        reference=subject.reference.text if subject.reference else None,
        language=subject.case.language,
        options=judge_request.own,
    )


PURPOSE = JudgePurpose()
