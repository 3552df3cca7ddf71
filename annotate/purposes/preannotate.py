"""Suggestions by a model, one job per item. People's texts never change; another run makes another suggestion."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel, ConfigDict, Field

from annotate.engine.purposes import Case, JobPlan, NoOptions, Purpose
from annotate.items import flow, slots
from annotate.kinds.contract import Kind
from annotate.kinds.protocol import Ask, CallFailed, Cause, Prompts
from annotate.kinds.values import BadShape, ModelSuggestion
from annotate.models import Annotation, Classification, Item, Job, Project, Run
from annotate.runs import item_selection as run_items
from lib.texts.language import language_of

SUMMARY = 80  # characters of Annotation.prompt_version


@dataclass(frozen=True)
class DraftCase(Case):
    """label: fields of the draft that are already known, from people or from a classification."""

    label: Mapping[str, Any] = field(default_factory=dict)


class PreannotateOptions(BaseModel):
    """For kinds that can ask each question of an item by itself; others do all of it in the calls that they need."""

    model_config = ConfigDict(extra="ignore")

    one_by_one: bool = Field(
        default=False,
        title=gettext_noop("One call per question"),
        description=gettext_noop(
            "Each question is asked alone, so that no answer depends on another. Questions under conditions are asked "
            "only if they apply. An item then needs as many calls as it has questions."
        ),
    )


class Preannotate(Purpose):
    slug = "preannotate"
    name = _("Pre-annotation")
    about = _("A model drafts every field; people then refine its suggestion.")
    options: ClassVar[type[BaseModel]] = PreannotateOptions

    def options_in(self, project: Project, settled: Mapping[str, str]) -> type[BaseModel]:
        return self.options if project.kind.one_by_one else NoOptions

    def told_options(self, run: Run) -> Mapping[str, Any]:
        title = gettext(PreannotateOptions.model_fields["one_by_one"].title or "")
        return {title: True} if run.options.get("one_by_one") else {}

    def steps(self, run: Run) -> list[str]:
        return list(run.project.kind.preannotation_steps)

    def reads_guidelines(self, run: Run) -> bool:
        return run.project.kind.drafts_by_guidelines

    def plan(self, run: Run) -> Iterator[JobPlan]:
        """Every undecided item that the run takes, whatever its draft holds."""
        return items_of(run, able=bool(run.project.kind.preannotation_steps))

    def calls_expected(self, run: Run) -> float:
        """Estimated from the first planned items."""
        kind, options = _kind_of(run.project, run.options), run.project.kind_options
        counts = []
        for stored in run.jobs.filter(item__isnull=False).order_by("pk").values_list("item__facts", flat=True)[:200]:
            try:
                counts.append(self.calls_of(kind, kind.read_facts(stored), options))
            except BadShape:
                continue
        return sum(counts) / len(counts) if counts else float(len(self.steps(run)))

    def calls_of(self, kind: Kind, facts: Any, options: Any) -> int:
        """How many questions are asked about one item."""
        return kind.preannotation_calls(facts, options)

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        """Four queries, however many jobs: items, bases, classifications, suggestions."""
        cases = super().load(run, jobs, prompts)
        for case in cases:
            case.job.run = run
            case.item.project = run.project
        labels = known_labels([case.item for case in cases], run.project.kind)
        return [DraftCase(**vars(case), label=labels.get(case.item.pk, {})) for case in cases]

    async def work(self, case: Case, ask: Ask) -> ModelSuggestion:
        project = case.item.project
        kind, options = _kind_of(project, case.options), project.kind_options
        facts = facts_of(case, kind)
        suggested = await self.suggested(kind, facts, options, case.prompts, ask, language(case.item, kind, facts))
        label = case.label if isinstance(case, DraftCase) else {}
        return replace(suggested, draft={**suggested.draft, **label})

    async def suggested(
        self, kind: Kind, facts: Any, options: Any, prompts: Prompts, ask: Ask, language: str
    ) -> ModelSuggestion:
        return await kind.preannotate(facts, options, prompts, ask, language=language)

    def store(self, case: Case, outcome: ModelSuggestion) -> None:
        """A new suggestion; an item that waited for one becomes ready. One outcome of one run is stored only once."""
        run = case.job.run
        columns: dict[str, Any] = {
            "model": run.endpoint.model,
            "prompt_version": summary(case.prompts, self.steps(run), prompt_language(case)),
            "simulated": run.endpoint.simulated,
            "draft": outcome.draft,
            "schema": run.project.kind.schema,
            "doubts": [doubt.as_json() for doubt in outcome.doubts],
            "candidates": [{"label": candidate.label, "draft": candidate.draft} for candidate in outcome.candidates],
            "note": outcome.reasons,
        }
        flow.lock(case.item.pk)
        stored_annotation = Annotation.objects.filter(item_id=case.item.pk, run=run).order_by("-id").first()
        if stored_annotation is not None:  # read again: the label came from elsewhere, not from the reply
            columns["draft"] = outcome.draft | _label_of(run.project.kind, stored_annotation.draft)
        if stored_annotation is None or any(
            getattr(stored_annotation, name) != value for name, value in columns.items()
        ):
            Annotation.objects.create(item_id=case.item.pk, run=run, **columns)
        _open(case.item)

    def outcomes(self, run: Run, items: list[int]) -> dict[int, Any]:
        """Draft and candidates, without parts that depend on the wording of doubts."""
        newest = Annotation.objects.filter(run=run, item__in=items).order_by("pk")
        return {
            item: {**draft, "candidates": candidates} if candidates else draft
            for item, draft, candidates in newest.values_list("item_id", "draft", "candidates")
        }


PURPOSE = Preannotate()


def _kind_of(project: Project, options: Mapping[str, Any]) -> Kind:
    """The kind as a run with these options asks its questions."""
    return (options.get("one_by_one") and project.kind.one_by_one) or project.kind


def items_of(run: Run, *, able: bool) -> Iterator[JobPlan]:
    """A job for every item that the run takes; none if the kind has nothing to ask about it."""
    if not able:
        return
    limit = run.options.get("limit")
    for pk in run_items.chosen_items(run).values_list("pk", flat=True)[:limit].iterator(chunk_size=2000):
        yield JobPlan(f"item/{pk}", pk)


def facts_of(case: Case, kind: Kind) -> Any:
    """Raises CallFailed if the stored facts cannot be read: there is nothing to ask about them."""
    try:
        return kind.read_facts(kind.upgrade(case.item.facts, case.item.schema))
    except BadShape as bad:
        raise CallFailed(Cause.UNSUITABLE, str(bad)) from bad


def language(item: Item, kind: Kind, facts: Any) -> str:
    """The item's language as prompts name it; detected from its text if it is not set."""
    return (item.language or language_of(kind.reading_text(facts))).split("-")[0]


def prompt_language(case: Case) -> str:
    kind = case.item.project.kind
    return language(case.item, kind, facts_of(case, kind))


def summary(prompts: Prompts, steps: list[str], language: str) -> str:
    """The versions of these prompts in short: `v2 en`, or `v1 en, feedback v3` if one was edited.

    `guidelines v4` is added if the models read the guidelines.
    """
    version_by_step = {}
    spoken = language if any((step, language) in prompts.texts for step in steps) else "en"
    for step in steps:
        prompt_key = (step, spoken) if (step, spoken) in prompts.versions else (step, "en")
        if prompt_key in prompts.versions:
            version_by_step[step] = prompts.versions[prompt_key]
    if not version_by_step:
        return ""
    usual = Counter(version_by_step.values()).most_common(1)[0][0]
    other_versions = [f"{step} v{number}" for step, number in version_by_step.items() if number != usual]
    guideline_versions = [f"guidelines v{prompts.guideline_version}"] if prompts.guideline_version else []
    text = ", ".join([f"v{usual} {spoken}", *guideline_versions, *other_versions])
    return text if len(text) <= SUMMARY else text[: SUMMARY - 1] + "…"


def known_labels(items: list[Item], kind: Kind) -> dict[int, dict[str, Any]]:
    """item -> the label's fields: as people decided, else as a model classified it, else as it was suggested."""
    if not kind.label_fields:
        return {}
    ids = [item.pk for item in items]
    suggested = Annotation.objects.filter(item__in=ids).exclude(model="").order_by("pk")
    labels = {annotation.item_id: _label(kind, annotation.draft) for annotation in suggested}
    for classification in Classification.objects.filter(item__in=ids, listed=True).order_by("pk"):
        labels[classification.item_id] = dict(zip(kind.label_fields, classification.label.split(";"), strict=False))
    decided = Annotation.objects.in_bulk([item.base_id for item in items if item.base_id])
    labels |= {base.item_id: label for base in decided.values() if (label := _label(kind, base.draft))}
    return {item: label for item, label in labels.items() if label}


def _label_of(kind: Kind, draft: Mapping[str, Any]) -> dict[str, Any]:
    return {name: draft[name] for name in kind.label_fields if name in draft}


def _label(kind: Kind, draft: Mapping[str, Any]) -> dict[str, Any]:
    label = {name: draft.get(name) for name in kind.label_fields}
    return label if all(label.values()) else {}


def _open(item: Item) -> None:
    """Put an item that waited for its suggestion into the queue. It may have moved since it was read."""
    now = Item.objects.select_related("project").get(pk=item.pk)
    if now.state == Item.State.IMPORTED:
        flow.move(now, "ready", by=None)
        slots.open_annotating(now, now.project)
