"""The purpose of correction runs: what a judge scored low in an answer is corrected by `<author>+correction`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model

from annotate.engine.purposes import Case, JobPlan, Purpose
from annotate.kinds.protocol import Ask, CallFailed, Cause, Prompts, Question
from annotate.kinds.trees import Corrected
from annotate.models import Item, Job, Project, Run
from annotate.runs import item_selection as run_items
from judging.answers.cases import case_of
from judging.answers.store import GivenAnswer, corrector_of, hold, store_one
from judging.models import Answer, Author, Verdict
from judging.strategies.branches.strategies import messages_of
from judging.strategies.strategy import ShownCase
from judging.verdicts import low_scores
from judging.verdicts.low_scores import FINE, UNKNOWN, UNREAD, ScoreThreshold, Wanting, branch_judges, judge_called

STEP = "correction"
MOST_TOKENS = 4096
WHY: Mapping[str, Promise] = {
    FINE: gettext_lazy("answers with no criterion below the threshold"),
    UNREAD: gettext_lazy("answers that this judge has not judged"),
    UNKNOWN: gettext_lazy("answers with unknown text"),
}
Name = Annotated[str, StringConstraints(max_length=120)]


class CorrectOptions(BaseModel):
    """By whose judgements, whose answers, from which score on, and how freely."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    judge: str = Field(
        default="",
        max_length=340,
        title=gettext_noop("Verdicts by"),
        description=gettext_noop("A judge that scores by criteria."),
    )
    authors: list[Name] = Field(
        default_factory=list,
        title=gettext_noop("Answers by"),
        description=gettext_noop("None selected: all except corrections."),
    )
    threshold: float = Field(
        default=3,
        ge=1,
        le=5,
        title=gettext_noop("Threshold"),
        description=gettext_noop("Criteria with a lower score are corrected."),
    )
    inclusive: bool = Field(default=False, title=gettext_noop("Include scores at the threshold"))
    temperature: float = Field(default=0.1, ge=0, le=2, title=gettext_noop("Temperature"))

    @property
    def line(self) -> ScoreThreshold:
        return ScoreThreshold(self.threshold, self.inclusive)


@dataclass(frozen=True)
class CorrectCase(Case):
    """answer: the one to correct; author: its author. shown: None if item or answer are no longer what the judge saw.
    low: the judgements to correct it by, as text."""

    answer: Answer
    author: Author
    shown: ShownCase | None
    low: str
    chosen: CorrectOptions


@dataclass(frozen=True)
class Text:
    """A corrected answer. changed: whether it is another text at all."""

    text: str
    changed: bool

    def told(self) -> Iterator[tuple[str, str]]:
        yield _("Correction"), self.text if self.changed else _("Nothing changed.")


class Correct(Purpose):
    slug = "correct"
    name = gettext_lazy("Corrections of answers")
    about = gettext_lazy(
        "A model rewrites answers on the criteria that a judge scored low. The new answers get their own "
        "author and can be judged like any other."
    )
    options = CorrectOptions
    takes_accepted = True
    takes_open = False
    unit = gettext_lazy("one per answer with a low criterion")

    def suits(self, project: Project) -> bool:
        return project.kind.judges_answers

    def options_in(self, project: Project, settled: Mapping[str, str]) -> type[BaseModel]:
        """With the judges and authors to choose from."""
        judges = tuple(map(str, branch_judges(project)))
        names = tuple(Author.objects.filter(project=project).order_by("name").values_list("name", flat=True))
        fields = CorrectOptions.model_fields
        more: dict[str, Any] = {}
        if judges:
            more["judge"] = (
                Literal[judges],
                Field(title=fields["judge"].title, description=fields["judge"].description),
            )
        if names:
            more["authors"] = (list[Literal[names]], fields["authors"])  # type: ignore[valid-type]
        return create_model("CorrectForm", __base__=CorrectOptions, **more)

    def told_options(self, run: Run) -> Mapping[str, Any]:
        options = CorrectOptions.model_validate(run.options)
        value_by_name = {name: getattr(options, name) for name in CorrectOptions.model_fields}
        value_by_name["authors"] = ", ".join(options.authors)
        value_by_name["inclusive"] = _("yes") if options.inclusive else _("no")
        return {
            _(str(CorrectOptions.model_fields[name].title)): value
            for name, value in value_by_name.items()
            if value != ""
        }

    def scope(self, run: Run) -> str:
        return self.slug

    def scopes(self, project: Project) -> list[str]:
        return [self.slug] if self.suits(project) else []

    def steps(self, run: Run) -> list[str]:
        return [STEP]

    def left_out(self, run: Run) -> Sequence[tuple[str | Promise, int]]:
        return [(WHY[reason], count) for reason, count in sorted(_low_answers(run).left_out.items())]

    def plan(self, run: Run) -> Iterator[JobPlan]:
        """Raises Refused if no such judge has gone through criteria."""
        items = set(run_items.chosen_items(run).values_list("pk", flat=True))
        yield from (
            JobPlan(low_answer.subject, low_answer.item)
            for low_answer in _low_answers(run).answers
            if low_answer.item in items
        )

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        """Five queries however many jobs."""
        low_answer_by_job = {job.pk: Wanting.named(job.subject, job.item_id or 0) for job in jobs}
        answers = Answer.objects.select_related("author").in_bulk(
            [low_answer.answer for low_answer in low_answer_by_job.values()]
        )
        verdicts = Verdict.objects.in_bulk([low_answer.verdict for low_answer in low_answer_by_job.values()])
        items = Item.objects.select_related("base", "project").in_bulk([job.item_id for job in jobs if job.item_id])
        parts = low_scores.grounds(verdicts)
        current = set(Answer.objects.current().filter(pk__in=answers).values_list("pk", flat=True))
        options, cases = CorrectOptions.model_validate(run.options), []
        for job in jobs:
            low_answer = low_answer_by_job[job.pk]
            answer, item = answers.get(low_answer.answer), items.get(low_answer.item)
            if answer is None or item is None:
                continue
            job.run = run
            verdict = verdicts.get(low_answer.verdict) if answer.pk in current else None
            judge_view = _correction_case(item, answer, verdict)
            words = low_scores.in_words(parts.get(low_answer.verdict, ()), low_answer.side, options.line)
            cases.append(
                CorrectCase(job, item, prompts, run.options, answer, answer.author, judge_view, words, options)
            )
        return list(cases)

    async def work(self, case: Case, ask: Ask) -> Text:
        assert isinstance(case, CorrectCase)
        if case.shown is None or not case.low:
            raise CallFailed(
                Cause.UNSUITABLE, _("The item or the answer has changed since the judge saw it."), step=STEP
            )
        wording = case.prompts.text(STEP, case.shown.language)
        messages = messages_of(wording, case.shown, {"judgements": case.low})
        question = Question(STEP, messages, Corrected, temperature=case.chosen.temperature, max_tokens=MOST_TOKENS)
        reply = await ask(question)
        assert isinstance(reply.read, Corrected)
        text = reply.read.corrected_response
        if not text.strip():
            raise CallFailed(Cause.EMPTY, _("The correction is empty."), step=STEP, said=reply.text)
        return Text(text, text.split() != case.answer.text.split())

    def store(self, case: Case, outcome: Text) -> None:
        """Store the answer, as a new version if the text differs; reading a job again changes nothing stored later."""
        assert isinstance(case, CorrectCase)
        author = corrector_of(case.author)
        hold([author.pk])
        read_again = case.job.ended_at if case.job.state == Job.State.DONE else None
        new_answer = GivenAnswer(case.item.pk, author.pk, outcome.text, case.answer.sample)
        note = "" if outcome.changed else _("The correction changed nothing.")
        simulated = case.job.run.endpoint.simulated
        store_one(new_answer, unless_since=read_again, job=case.job, simulated=simulated, note=note)

    def outcomes(self, run: Run, items: list[int]) -> dict[int, Any]:
        """item -> author -> the corrected text."""
        texts_by_item: dict[int, Any] = {}
        answers = Answer.objects.filter(job__run=run, item__in=items).order_by("author__name", "sample", "version")
        for item, name, text in answers.values_list("item_id", "author__name", "text"):
            texts_by_item.setdefault(item, {})[name] = text
        return texts_by_item


PURPOSE = Correct()


def _low_answers(run: Run) -> low_scores.LowAnswers:
    options = CorrectOptions.model_validate(run.options)
    judge = judge_called(run.project, options.judge)
    return low_scores.wanting(run.project, judge, options.line, authors=options.authors)


def _correction_case(item: Item, answer: Answer, verdict: Verdict | None) -> ShownCase | None:
    case = case_of(item)
    if case is None or verdict is None or verdict.case_sha != case.judged.sha256:
        return None
    return ShownCase(judged=case.judged, first=answer.text, language=case.language)
