"""Verdicts of a model about answers, one job an answer or pair. Which way it is asked is its strategy's matter."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

from annotate.kinds.causes import Cause
from annotate.kinds.protocol import Ask, CallFailed, Prompts
from annotate.models import Job, Project, Run
from annotate.purposes.base import Case, Choice, PeopleSaid, Planned, Purpose, RawStep
from annotate.services.errors import Refused
from judging.models import Author
from judging.services import gold
from judging.services.judgements import asking, keeping, raw, subjects, trying
from judging.services.judgements.options import (
    JudgeOptions,
    Wanted,
    own_options,
    refuse_unless_possible,
    settled,
    wanted,
)
from judging.services.judgements.subjects import Subject
from judging.strategies import criteria, strategies
from judging.strategies.base import Shown, Strategy
from judging.strategies.orders import Judgements
from judging.strategies.orders import judged as judged_in_order


@dataclass(frozen=True)
class JudgeCase(Case):
    """subject: what is shown; wanted: how it is asked."""

    subject: Subject
    wanted: Wanted


class Judge(Purpose):
    slug = "judge"
    name = _("Judging")
    about = _("A model judges answers to decided items. Its verdicts make the scores and the leaderboard.")
    options = JudgeOptions
    takes_accepted = True
    takes_open = False
    unit = _("one an answer, or one a pair of answers")

    def scopes(self, project: Project) -> list[str]:
        return list(dict.fromkeys(strategy.family for strategy in strategies().values()))

    def texts(self, run: Run) -> list[str]:
        judge_request = wanted(run) if run.options.get("strategy") else None
        return [*super().texts(run), *(judge_request.strategy.texts(judge_request.own) if judge_request else ())]

    def text_scopes(self, project: Project) -> list[str]:
        patterns = [pattern for strategy in strategies().values() for pattern in strategy.texts(strategy.options())]
        scopes = [*super().text_scopes(project), *(pattern.partition(".")[0] for pattern in patterns)]
        both_sets = criteria.SCOPES.values() if criteria.SCOPES[criteria.GENERIC] in scopes else ()
        return list(dict.fromkeys([*scopes, *both_sets]))

    def tried_with(self, project: Project, scope: str, step: str) -> dict[str, Any] | None:
        """As the last run did that used it; before any has, with a strategy of the family that has such a step."""
        using = [strategy for strategy in strategies().values() if strategy.family == scope and step in strategy.steps]
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
        return trying.said_by_people(project, subjects)

    def names_of(self, subjects: Sequence[str]) -> Mapping[str, str]:
        return trying.names_of(subjects)

    def raw_step(self, scope: str, step: str) -> RawStep | None:
        return raw.raw_step(scope, step)

    def suits(self, project: Project) -> bool:
        return project.kind.can_be_judged and bool(strategies())

    def takes_undecided(self, project: Project) -> bool:
        return project.kind.brings_answers

    def first_choice(self, project: Project) -> Choice:
        return Choice(
            "strategy", [(strategy.slug, strategy.name, strategy.about) for strategy in strategies().values()]
        )

    def options_in(self, project: Project, settled: Mapping[str, str]) -> type[BaseModel]:
        return asking.form_options(project, strategies()[settled["strategy"]])

    def left_out(self, run: Run) -> Sequence[tuple[str | Promise, int]]:
        return asking.left_out(run, wanted(run))

    def why_nothing(self, run: Run) -> Sequence[str]:
        return asking.why_nothing(run, wanted(run))

    def told_options(self, run: Run) -> Mapping[str, Any]:
        return asking.told(run)

    def scope(self, run: Run) -> str:
        """The family of its strategy; "" while none is chosen."""
        return wanted(run).strategy.family if run.options.get("strategy") else ""

    def steps(self, run: Run) -> list[str]:
        return list(wanted(run).strategy.steps) if run.options.get("strategy") else []

    def plan(self, run: Run) -> Iterator[Planned]:
        """Raises Refused where what was asked for is not there. `run.options["judge"]` names the judge from then on."""
        judge_request = wanted(run)
        gold.ensure(run.project)
        refuse_unless_possible(run.project, judge_request)
        if run.purpose == self.slug and "judge" not in run.options:
            run.options |= {"judge": keeping.judge_of(run, judge_request).pk, **settled(judge_request)}
            Run.objects.filter(pk=run.pk).update(options=run.options)
        yield from subjects.planned(run, judge_request)

    def calls_expected(self, run: Run) -> float:
        judge_request = wanted(run)  # of a run that is being planned, so its strategy is there
        return judge_request.strategy.calls_expected(judge_request.own) * len(judge_request.orders)

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        """Three or four queries however many jobs. None where the strategy is no longer there: nothing can be asked."""
        try:
            judge_request = wanted(run)
        except Refused:
            return []
        subject_by_job = subjects.loaded(run, judge_request, jobs)
        cases = []
        for job in jobs:
            if job.pk in subject_by_job and subject_by_job[job.pk].case is not None:
                job.run, subject = run, subject_by_job[job.pk]
                assert subject.case is not None
                cases.append(JudgeCase(job, subject.case.item, prompts, run.options, subject, judge_request))
        return list(cases)

    async def work(self, case: Case, ask: Ask) -> Judgements:
        assert isinstance(case, JudgeCase)
        judge_request, judge_view = case.wanted, _shown(case)
        return Judgements(
            [
                await judged_in_order(
                    judge_request.strategy, judge_view, case.prompts, ask, repeat=repeat, swapped=swapped
                )
                for repeat, swapped in judge_request.orders
            ]
        )

    def store(self, case: Case, outcome: Judgements) -> None:
        self.store_together([(case, outcome)])

    def store_together(self, stored: Sequence[tuple[Case, Judgements]]) -> None:
        keeping.keep([_kept(case, outcome) for case, outcome in stored])

    def outcomes(self, run: Run, items: list[int]) -> dict[int, Any]:
        return keeping.outcomes(run, items)


def _reference(project: Project, strategy: Strategy) -> str:
    """Whose answers are held to be right. Raises Refused where nobody's are."""
    gold.ensure(project)  # so that the items' own are there
    trusted = gold.trusted(project)
    if Author.objects.filter(project=project, name=trusted).exists():
        return trusted
    message = _(
        "The strategy “%(name)s” holds answers against a reference, and this project has none. "
        "Plan a run that says whose answers are the reference; a wording is tried as the last run was asked."
    )
    raise Refused(str(message % {"name": strategy.name}))


def _kept(case: Case, outcome: Judgements) -> keeping.Kept:
    assert isinstance(case, JudgeCase)
    return keeping.Kept(case.job, case.options["judge"], case.subject, outcome.each)


def _shown(case: JudgeCase) -> Shown:
    """Raises CallFailed where the item or an answer has changed so that there is nothing to judge any more."""
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
    return Shown(
        judged=subject.case.judged,
        first=subject.first.text,
        second=subject.second.text if subject.second else None,
        reference=subject.reference.text if subject.reference else None,
        language=subject.case.language,
        options=judge_request.own,
    )


PURPOSE = Judge()
