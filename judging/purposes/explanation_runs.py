"""The purpose of explanation runs: a model reads explanations of judges that counted no mistake.

There are two readers. The published one (FBI, arXiv 2406.13439, 5.3) sees only the explanation and the score, and says
whether it reports a mistake. The strict one also sees the request and both answers, and has to quote. The first part
of the module asks about one explanation and is pure.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model

from annotate.engine.purposes import Case, JobPlan, Purpose
from annotate.kinds.protocol import Ask, CallFailed, Cause, JudgedItem, Prompts, Question
from annotate.models import Item, Job, Project, Run
from annotate.runs import item_selection as run_items
from judging.answers.cases import case_of
from judging.models import Judge, Verdict
from judging.strategies.checklist.checklist_replies import yes_or_no
from judging.strategies.criteria import worded
from judging.strategies.questions import case_message
from judging.strategies.strategy import ShownCase
from judging.verdicts.explanation_readings import ON_PERTURBED, decided, gold_texts, label_of_perturbed
from judging.verdicts.sightings import known_of, sightings
from lib.texts.fencing import fenced

EXPLANATION_ONLY = Verdict.FoundFrom.EXPLANATION_ONLY.value
ANSWERS_AND_QUOTE = Verdict.FoundFrom.ANSWERS_AND_QUOTE.value
STEPS = {EXPLANATION_ONLY: "named", ANSWERS_AND_QUOTE: "found"}  # what a reader is shown -> its prompt
MOST_TOKENS = 1024
CALLED = {"": {"en": "the answer", "zh": "该回答"}, "A": {"en": "A", "zh": "回答 A"}, "B": {"en": "B", "zh": "回答 B"}}


def _yes_or_no(value: Any) -> bool:
    answer = yes_or_no(value)
    if answer is None:
        raise ValueError("neither yes nor no")
    return answer


YesOrNo = Annotated[bool, BeforeValidator(_yes_or_no), WithJsonSchema({"type": "string", "enum": ["yes", "no"]})]


class Named(BaseModel):
    """What the published reader says. reason: why, in a sentence."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})

    reason: str
    found: YesOrNo

    def told(self) -> Iterator[tuple[str, str]]:
        """For pages that compare two wordings of the prompt."""
        yield _("Found in the explanation"), _("yes") if self.found else _("no")
        yield _("Explanation"), self.reason


class Found(BaseModel):
    """What the strict reader says. quote: the words of the explanation that name the mistake; "" where none do."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})

    quote: str
    found: YesOrNo

    def told(self) -> Iterator[tuple[str, str]]:
        """For pages that compare two wordings of the prompt."""
        yield _("Found in the explanation"), _("yes") if self.found else _("no")
        yield _("Quote"), self.quote


@dataclass(frozen=True)
class Explained:
    """One explanation. called: what the judge calls the perturbed answer, A or B; "" if it saw no other.

    score: the judge's score or choice, in its own words. shown: which reader is asked; only the strict one needs
    judged, perturbed and gold.
    """

    judged: JudgedItem
    perturbed: str
    gold: str
    explanation: str
    called: str = ""
    language: str = "en"
    score: str = ""
    shown: str = EXPLANATION_ONLY


async def read_explanation(explained: Explained, prompts: Prompts, ask: Ask) -> Found | Named:
    """Raises CallFailed, also if the quote is not in the explanation: then it is unknown what was found."""
    step, language = STEPS[explained.shown], explained.language
    called = CALLED[explained.called]
    wording = worded(prompts.text(step, language), {"called": called.get(language, called["en"])})
    if explained.shown == EXPLANATION_ONLY:
        return await _read_alone(explained, step, wording, ask)
    return await _read_with_answers(explained, step, wording, ask)


async def _read_alone(explained: Explained, step: str, wording: str, ask: Ask) -> Named:
    texts = {"explanation": explained.explanation, "score": explained.score}
    messages = fenced(wording, texts, language=explained.language).messages()
    reply = await ask(Question(step, messages, Named, temperature=0.0, max_tokens=MOST_TOKENS))
    assert isinstance(reply.read, Named)
    return reply.read


async def _read_with_answers(explained: Explained, step: str, wording: str, ask: Ask) -> Found:
    language = explained.language
    judge_view = ShownCase(explained.judged, explained.perturbed, reference=explained.gold, language=language)
    messages = case_message(wording, judge_view, explanation=explained.explanation).messages()
    reply = await ask(Question(step, messages, Found, temperature=0.0, max_tokens=MOST_TOKENS))
    assert isinstance(reply.read, Found)
    if reply.read.found and not stands_in(reply.read.quote, explained.explanation):
        detail = _("The quote is not in the explanation.")
        raise CallFailed(Cause.WRONG_SHAPE, detail, reply.text, step=step)
    return reply.read


def stands_in(quote: str, text: str) -> bool:
    """Whether the text contains the quote, ignoring blanks, quotes and case; parts between dots may be apart."""
    whole = _plain(text)
    parts = [part for part in map(_plain, re.split(r"\.{3}|…", quote)) if part]
    return bool(parts) and all(part in whole for part in parts)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum())


# The run.


class ExplanationOptions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    whose: list[str] = Field(
        default_factory=list,
        title=gettext_noop("Explanations by"),
        description=gettext_noop("Judges with verdicts on perturbed answers. None selected: all."),
    )
    shown: Literal["explanation-only", "answers-and-quote"] = Field(
        default="explanation-only",
        title=gettext_noop("What the reading model sees"),
        description=gettext_noop(
            "explanation-only: the explanation and the score, as published. answers-and-quote: also the "
            "request and both answers, and the words that name the mistake must be quoted; this finds "
            "fewer."
        ),
    )


@dataclass(frozen=True)
class ExplanationCase(Case):
    """verdict: the verdict explained; explained: None if item or answers are no longer what the judge saw."""

    verdict: int
    explained: Explained | None


class Explanations(Purpose):
    slug = "explanations"
    name = gettext_lazy("Judge explanations")
    about = gettext_lazy(
        "A model reads what judges wrote about mistakes that they did not count: does the text name a mistake?"
    )
    options = ExplanationOptions
    takes_accepted = True
    takes_open = False
    unit = gettext_lazy("one per verdict that counted no mistake")

    def suits(self, project: Project) -> bool:
        """Only if items hold answers: nothing else says what is perturbed. Called often, so it makes no query."""
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
        return [STEPS[_shown_option(run)]]

    def tried_with(self, project: Project, scope: str, step: str) -> dict[str, Any] | None:
        """With the reader whose prompt it is."""
        using = [reader for reader, reader_step in STEPS.items() if reader_step == step and scope == self.slug]
        return {"shown": using[0]} if using else None

    def plan(self, run: Run) -> Iterator[JobPlan]:
        """Jobs for verdicts on current answers that nobody has read in this way, selected as the report counts them."""
        reader = _shown_option(run)
        if run.purpose == self.slug and run.options.get("shown") != reader:
            run.options["shown"] = reader
            Run.objects.filter(pk=run.pk).update(options=run.options)
        judge_names = ExplanationOptions.model_validate(run.options).whose
        items = run_items.chosen_items(run).values("pk")
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
                    JobPlan(f"verdict/{pk}", item) for pk, item in unexamined_verdicts.values_list("pk", "item_id")
                )

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        """Four queries however many jobs."""
        related = ("first__author", "second__author", "reference")
        verdicts = Verdict.objects.select_related(*related).in_bulk([_pk(job) for job in jobs])
        items = Item.objects.select_related("base", "project").in_bulk([job.item_id for job in jobs if job.item_id])
        reader = _shown_option(run)
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
            detail = _("The item or its gold answer has changed since the judge saw it.")
            raise CallFailed(Cause.UNSUITABLE, detail)
        return await read_explanation(case.explained, case.prompts, ask)

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
    """Judges with a verdict on a perturbed answer, by name."""
    about = Exists(Verdict.objects.filter(ON_PERTURBED, judge=OuterRef("pk")))
    return list(Judge.objects.filter(about, project=project).order_by("name", "strategy", "variant", "version"))


def unexamined(judge: Judge, reader: str) -> QuerySet[Verdict]:
    """Verdicts on perturbed answers whose explanation nobody has read, or only a reader that was shown other texts.

    Findings that a file states are kept.
    """
    by_others = set(STEPS) - {reader}
    unread = Verdict.objects.read().filter(ON_PERTURBED, judge=judge)
    return unread.filter(Q(found_in_explanation=None) | Q(found_from__in=by_others)).exclude(reason="")


def _shown_option(run: Run) -> str:
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
        called=label_of_perturbed(verdict),
        language=case.language,
        score=decided(verdict),
        shown=EXPLANATION_ONLY if gold is None else ANSWERS_AND_QUOTE,
    )
