"""Verdicts of a model about answers, one job an answer or pair. Which way it is asked is its strategy's matter."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

from annotate.llm.asking import Ask, CallFailed, Prompts
from annotate.llm.causes import Cause
from annotate.models import Job, Project, Run
from annotate.purposes.base import Case, Choice, Planned, Purpose
from annotate.services.errors import Refused
from judging.services import gold
from judging.services.judgements import asking, keeping, subjects
from judging.services.judgements.options import JudgeOptions, Wanted, refuse_unless_possible, wanted
from judging.services.judgements.subjects import Subject
from judging.strategies import strategies
from judging.strategies.base import Shown
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
        return list(dict.fromkeys(each.family for each in strategies().values()))

    def tried_with(self, project: Project, scope: str, step: str) -> dict[str, Any] | None:
        """With the first strategy of the family that has such a step."""
        using = (each for each in strategies().values() if each.family == scope and step in each.steps)
        first = next(using, None)
        if first is None:
            return None
        return {"strategy": first.slug} | ({"reference": gold.trusted(project)} if first.needs_reference else {})

    def suits(self, project: Project) -> bool:
        return project.kind.judges_answers and bool(strategies())

    def first_choice(self, project: Project) -> Choice:
        return Choice("strategy", [(each.slug, each.name, each.about) for each in strategies().values()])

    def options_in(self, project: Project, settled: Mapping[str, str]) -> type[BaseModel]:
        return asking.form_options(project, strategies()[settled["strategy"]])

    def left_out(self, run: Run) -> Sequence[tuple[str | Promise, int]]:
        return asking.left_out(run, wanted(run))

    def told_options(self, run: Run) -> Mapping[str, Any]:
        return asking.told(run)

    def scope(self, run: Run) -> str:
        """The family of its strategy; "" while none is chosen."""
        return wanted(run).strategy.family if run.options.get("strategy") else ""

    def steps(self, run: Run) -> list[str]:
        return list(wanted(run).strategy.steps) if run.options.get("strategy") else []

    def plan(self, run: Run) -> Iterator[Planned]:
        """Raises Refused where what was asked for is not there. `run.options["judge"]` names the judge from then on."""
        asked = wanted(run)
        gold.ensure(run.project)
        refuse_unless_possible(run.project, asked)
        if run.purpose == self.slug and "judge" not in run.options:
            run.options["judge"] = keeping.judge_of(run, asked).pk
            Run.objects.filter(pk=run.pk).update(options=run.options)
        yield from subjects.planned(run, asked)

    def calls_expected(self, run: Run) -> float:
        asked = wanted(run)  # of a run that is being planned, so its strategy is there
        return asked.strategy.calls_expected(asked.own) * len(asked.orders)

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        """Three or four queries however many jobs. None where the strategy is no longer there: nothing can be asked."""
        try:
            asked = wanted(run)
        except Refused:
            return []
        found = subjects.loaded(run, asked, jobs)
        cases = []
        for job in jobs:
            if job.pk in found and found[job.pk].case is not None:
                job.run, subject = run, found[job.pk]
                assert subject.case is not None
                cases.append(JudgeCase(job, subject.case.item, prompts, run.options, subject, asked))
        return list(cases)

    async def work(self, case: Case, ask: Ask) -> Judgements:
        assert isinstance(case, JudgeCase)
        asked, shown = case.wanted, _shown(case)
        return Judgements(
            [
                await judged_in_order(asked.strategy, shown, case.prompts, ask, repeat=repeat, swapped=swapped)
                for repeat, swapped in asked.orders
            ]
        )

    def store(self, case: Case, outcome: Judgements) -> None:
        self.store_together([(case, outcome)])

    def store_together(self, stored: Sequence[tuple[Case, Judgements]]) -> None:
        keeping.keep([_kept(case, outcome) for case, outcome in stored])

    def outcomes(self, run: Run, items: list[int]) -> dict[int, Any]:
        return keeping.outcomes(run, items)


def _kept(case: Case, outcome: Judgements) -> keeping.Kept:
    assert isinstance(case, JudgeCase)
    return keeping.Kept(case.job, case.options["judge"], case.subject, outcome.each)


def _shown(case: JudgeCase) -> Shown:
    """Raises CallFailed where the item or an answer has changed so that there is nothing to judge any more."""
    subject, asked = case.subject, case.wanted
    assert subject.case is not None
    if asked.beside and subject.reference is None:
        whose = repr(asked.given.reference) if asked.given.reference else "that is the author's own first one"
        raise CallFailed(Cause.UNSUITABLE, f"There is no answer of the reference {whose} any more.")
    if not asked.strategy.fits(subject.case.judged, asked.own):
        raise CallFailed(Cause.UNSUITABLE, "The item has changed and can no longer be judged this way.")
    return Shown(
        judged=subject.case.judged,
        first=subject.first.text,
        second=subject.second.text if subject.second else None,
        reference=subject.reference.text if subject.reference else None,
        language=subject.case.language,
        options=asked.own,
    )


PURPOSE = Judge()
