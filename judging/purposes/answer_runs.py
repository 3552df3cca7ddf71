"""Answers by a model: a job for each decided item and sample, with the conversation as candidates get it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self

from django.db import models
from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from annotate.engine.budget import tokens_in
from annotate.engine.endpoints import to_choose_from
from annotate.engine.purposes import Case, Following, JobPlan, Purpose
from annotate.kinds.protocol import Ask, CallFailed, CandidatePrompt, Cause, Prompts, Question
from annotate.models import Item, Job, Project, Run
from annotate.runs import item_selection as run_items
from judging.answers.answer_files import one_line
from judging.answers.cases import case_of, decided
from judging.answers.store import GivenAnswer, authors_called, hold, store_one
from judging.models import Answer, Author

MOST_TOKENS = 4096
MOST_SAMPLES = 100
STEP = "answer"


class Temperature(models.TextChoices):
    PROJECT = "project", gettext_lazy("per group, as set in the project")
    SERVICE = "service", gettext_lazy("default of the service")
    NUMBER = "number", gettext_lazy("one value for all:")


class AnswerOptions(BaseModel):
    """Who answers, how often, and how freely. The sort, family and provider are used where the author is new."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    author: Annotated[str, AfterValidator(one_line)] = Field(
        max_length=120,
        title=gettext_noop("Author"),
        description=gettext_noop(
            "The model whose answers these are. It follows the endpoint until you enter another name."
        ),
    )
    samples: int = Field(default=1, ge=1, le=MOST_SAMPLES, title=gettext_noop("Answers per item"))
    temperature: Temperature = Field(default=Temperature.PROJECT, title=gettext_noop("Temperature"))
    number: float | None = Field(default=None, ge=0, le=2, title=gettext_noop("Temperature for all"))
    sort: Author.Sort = Field(default=Author.Sort.MODEL, title=gettext_noop("Type of a new author"))
    family: str = Field(default="", max_length=80, title=gettext_noop("Family of a new author"))
    provider: str = Field(default="", max_length=80, title=gettext_noop("Provider of a new author"))

    @model_validator(mode="after")
    def _number_where_it_is_used(self) -> Self:
        if (self.temperature == Temperature.NUMBER) != (self.number is not None):
            raise ValueError(_("Enter a temperature if, and only if, “one value for all” is chosen."))
        return self


@dataclass(frozen=True)
class AnswerCase(Case):
    """asked: None if the item is not decided (any more). room: tokens of the endpoint's context, None if unknown.

    author: id of the author, None for a new one.
    """

    asked: CandidatePrompt | None
    author: int | None
    sample: int
    chosen: AnswerOptions
    room: int | None


class GenerateAnswers(Purpose):
    slug = "answer"
    name = gettext_lazy("Generate answers")
    about = gettext_lazy("A model answers the accepted items as a candidate. Judges then judge its answers.")
    unit = gettext_lazy("one per item and sample")
    options = AnswerOptions
    takes_accepted = True
    takes_open = False

    def suits(self, project: Project) -> bool:
        return project.kind.judges_answers

    def following(self, project: Project) -> Following:
        return {"author": _usual_authors(project)}

    def warnings(self, run: Run) -> list[str]:
        return _foreign_answers(run)

    def told_options(self, run: Run) -> Mapping[str, Any]:
        """The options in the words of the form, without empty ones."""
        options = AnswerOptions.model_validate(run.options)
        value_by_name = {name: getattr(options, name) for name in AnswerOptions.model_fields if name in run.options}
        titles = {name: _(AnswerOptions.model_fields[name].title or name) for name in value_by_name}
        return {
            titles[name]: getattr(value, "label", value)
            for name, value in value_by_name.items()
            if value not in ("", None)
        }

    def steps(self, run: Run) -> list[str]:
        """None: a candidate gets no prompt of ours, only the item's own words."""
        return []

    def scopes(self, project: Project) -> list[str]:
        return []

    def plan(self, run: Run) -> Iterator[JobPlan]:
        if not run.project.kind.judges_answers:
            return
        samples = AnswerOptions.model_validate(run.options).samples
        items = run_items.chosen_items(run).filter(pk__in=decided(run.project).values("pk"))
        for pk in items.values_list("pk", flat=True).iterator(chunk_size=2000):
            for sample in range(1, samples + 1):
                yield JobPlan(f"item/{pk}/{sample}", pk)

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        """Two queries however many jobs."""
        item_by_pk = Item.objects.select_related("base").in_bulk([job.item_id for job in jobs if job.item_id])
        options = AnswerOptions.model_validate(run.options)
        author = Author.objects.filter(project=run.project_id, name=options.author).values_list("pk", flat=True).first()
        cases: list[Case] = []
        for job in jobs:
            item = item_by_pk.get(job.item_id or 0)
            if item is not None:
                job.run, item.project = run, run.project
                case = case_of(item) if item.state == Item.State.ACCEPTED else None
                query, sample = case.asked if case else None, int(job.subject.rsplit("/", 1)[1])
                room = run.endpoint.context_length
                cases.append(AnswerCase(job, item, prompts, run.options, query, author, sample, options, room))
        return cases

    async def work(self, case: Case, ask: Ask) -> str:
        assert isinstance(case, AnswerCase)
        if case.asked is None:
            raise CallFailed(Cause.UNSUITABLE, _("The item is no longer accepted."), step=STEP)
        reply = await ask(question_for(case.asked, case.chosen, case.room))
        return reply.text

    def store(self, case: Case, outcome: str) -> None:
        """Store the answer, as a new version if the text differs; reading a job again changes nothing stored later."""
        assert isinstance(case, AnswerCase)
        author = case.author or _author_pk(case)
        hold([author])
        read_again = case.job.ended_at if case.job.state == Job.State.DONE else None
        new_answer = GivenAnswer(case.item.pk, author, outcome, case.sample)
        store_one(new_answer, unless_since=read_again, job=case.job, simulated=case.job.run.endpoint.simulated)

    def outcomes(self, run: Run, items: list[int]) -> dict[int, Any]:
        """item -> the texts of this run, sample by sample."""
        texts_by_item: dict[int, Any] = {}
        answers = Answer.objects.filter(job__run=run, item__in=items).order_by("sample", "version")
        for item, sample, text in answers.values_list("item_id", "sample", "text"):
            texts_by_item.setdefault(item, {})[sample] = text
        return texts_by_item


PURPOSE = GenerateAnswers()


def question_for(query: CandidatePrompt, options: AnswerOptions, room: int | None) -> Question:
    """The conversation with its temperature and the remaining tokens. Raises CallFailed if none are left."""
    temperature = {
        Temperature.PROJECT: query.temperature,
        Temperature.SERVICE: None,
        Temperature.NUMBER: options.number,
    }[options.temperature]
    question = Question(STEP, query.messages, temperature=temperature)
    return Question(STEP, query.messages, temperature=temperature, max_tokens=_most_tokens(question, room))


def _most_tokens(question: Question, room: int | None) -> int:
    if room is None:
        return MOST_TOKENS
    token_count = tokens_in(question)
    if token_count >= room:
        detail = _("The conversation takes about %(taken)d tokens, which leaves no room in the context of %(room)d.")
        raise CallFailed(Cause.TOO_LONG, detail % {"taken": token_count, "room": room}, step=STEP)
    return min(MOST_TOKENS, room - token_count)


def _author_pk(case: AnswerCase) -> int:
    """The author, created as the run describes them unless another job has done so meanwhile."""
    options = case.chosen
    described = {"sort": str(options.sort.value), "family": options.family, "provider": options.provider}
    return authors_called(case.job.run.project, {options.author: described})[options.author].pk


# The author: a run proposes one, and warns where another model has answered under this name.


def _usual_authors(project: Project) -> dict[str, str]:
    """endpoint -> the author of its newest run, else its model; an author belongs to the endpoint that had it first."""
    runs = Run.objects.filter(project=project, purpose=GenerateAnswers.slug).order_by("pk")
    first_endpoints: dict[str, str] = {}
    usual = dict(to_choose_from().values_list("name", "model"))
    for author, endpoint in runs.values_list("options__author", "endpoint__name"):
        if first_endpoints.setdefault(author, endpoint) == endpoint and endpoint in usual:
            usual[endpoint] = author
    return usual


def _foreign_answers(run: Run) -> list[str]:
    """Says that the author's present answers come from another endpoint or from files."""
    name = AnswerOptions.model_validate(run.options).author
    answers = Answer.objects.filter(author__project=run.project_id, author__name=name, known=True).current()
    foreign = answers.exclude(job__run__endpoint=run.endpoint_id).order_by()
    counts = dict(foreign.values_list("job__run__endpoint__name").annotate(Count("pk")))
    if not counts:
        return []
    sources = [*sorted(endpoint for endpoint in counts if endpoint), *([_("files")] if None in counts else [])]
    count = sum(counts.values())
    message = ngettext(
        "“%(author)s” already has %(n)d answer from elsewhere (%(endpoints)s). Where this run answers the same items, "
        "it becomes an older version. If this is another model, discard the run and enter another author.",
        "“%(author)s” already has %(n)d answers from elsewhere (%(endpoints)s). Where this run answers the same items, "
        "they become older versions. If this is another model, discard the run and enter another author.",
        count,
    )
    return [message % {"author": name, "n": count, "endpoints": ", ".join(sources)}]
