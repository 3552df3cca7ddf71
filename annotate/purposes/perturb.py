"""Perturbations by a model: one of each chosen category for every accepted prompt of its ability, as new items."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from pydantic import BaseModel, ConfigDict, Field, create_model

from annotate.engine.purposes import Case, JobPlan, OptionChoice, Purpose
from annotate.errors import Refused
from annotate.intake import generated_items
from annotate.intake.generated_items import Making
from annotate.kinds.contract import Kind
from annotate.kinds.protocol import Ask, CallFailed, Cause, Prompts
from annotate.kinds.values import BadShape, GeneratedItem
from annotate.models import Annotation, Item, Job, Member, Project, Run
from annotate.purposes.preannotate import facts_of, language, summary
from annotate.runs import item_selection as run_items

CHUNK = 500


class PerturbOptions(BaseModel):
    """Where the children go, of which categories, and who looks first."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    into: str = Field(
        title=gettext_noop("Target project"), description=gettext_noop("Its address. You must be a lead there, too.")
    )
    categories: list[str] = Field(
        default=[],
        title=gettext_noop("Categories"),
        description=gettext_noop("None selected: all that fit the prompt's ability."),
    )
    again: bool = Field(
        default=False,
        title=gettext_noop("Recreate what is not accepted"),
        description=gettext_noop(
            "Use this after a prompt has changed. Perturbations that someone has started are kept next to the new ones."
        ),
    )
    looked_at: float = Field(
        default=generated_items.SHARE,
        ge=0,
        le=1,
        title=gettext_noop("Share reserved for your review"),
        description=gettext_noop("Drawn at random and reserved for you, to check whether the prompts are good enough."),
    )


@dataclass(frozen=True)
class PerturbCase(Case):
    """target: None if the project no longer exists. draft: the decision of people, None without one."""

    target: Project | None
    group: str
    draft: dict[str, Any] | None


class Perturb(Purpose):
    slug = "perturb"
    name = gettext_lazy("Perturbations")
    about = gettext_lazy(
        "A model makes gold answers worse on purpose, in one way at a time. People then validate them."
    )
    unit = gettext_lazy("one per accepted prompt and category")
    options = PerturbOptions
    takes_accepted = True
    takes_open = False

    def suits(self, project: Project) -> bool:
        return bool(project.kind.child_kind) and generated_items.possible_targets(project).exists()

    def first_choice(self, project: Project) -> OptionChoice:
        about = gettext_lazy("Perturbations become items of that project.")
        targets = generated_items.possible_targets(project)
        heading = gettext_lazy("choose the project that they go to")
        return OptionChoice("into", heading, [(target.slug, target.name, about) for target in targets])

    def options_in(self, project: Project, settled: Mapping[str, str]) -> type[BaseModel]:
        """Adds the categories of the chosen project to tick."""
        into = settled["into"]
        target = generated_items.possible_targets(project).get(slug=into)
        names = target.kind.groups_made(target.kind_options)
        fields: dict[str, Any] = {n: (info.annotation, info) for n, info in PerturbOptions.model_fields.items()}
        fields["into"] = _labelled(Literal[into], "into", {into: target.name})
        if names:
            fields["categories"] = _labelled(list[Literal[tuple(names)]], "categories", names)  # type: ignore[misc]
        return create_model("PerturbForm", __config__=ConfigDict(extra="ignore"), **fields)

    def scope(self, run: Run) -> str:
        return run.project.kind.child_kind

    def scopes(self, project: Project) -> list[str]:
        return [project.kind.child_kind]

    def tried_with(self, project: Project, scope: str, step: str) -> dict[str, Any] | None:
        """Adds a category that uses this prompt."""
        target = generated_items.possible_targets(project).first()
        if scope != project.kind.child_kind or target is None:
            return None
        kind, options = target.kind, target.kind_options
        group = next((slug for slug in kind.groups_made(options) if kind.making_step(slug, options) == step), None)
        return None if group is None else {"into": target.slug, "categories": [group]}

    def steps(self, run: Run) -> list[str]:
        """The prompts of the chosen categories, each once."""
        target = _target(run)
        if target is None:
            return []
        group_steps = [target.kind.making_step(group, target.kind_options) for group in _groups(run, target)]
        return list(dict.fromkeys(step for step in group_steps if step))

    def plan(self, run: Run) -> Iterator[JobPlan]:
        """Raises Refused if the project does not exist, or the planner does not lead it."""
        target = _target(run)
        if target is None:
            raise Refused(_("There is no project %(into)s of the right kind.") % {"into": run.options.get("into")})
        is_tried = run.purpose != self.slug  # then nothing is made
        if not is_tried:
            _refuse_unless_led(run, target)
        chosen_groups = set(_groups(run, target))
        items = run_items.chosen_items(run).filter(state=Item.State.ACCEPTED, base__isnull=False).select_related("base")
        for batch in _chunks(items.iterator(chunk_size=CHUNK)):
            existing_pairs = set() if is_tried else _without_job(run, batch, target)
            for item in batch:
                groups = [group for group in _to_make(run.project, item, target) if group in chosen_groups]
                yield from (
                    JobPlan(f"item/{item.pk}/{g}", item.pk) for g in groups if (item.pk, g) not in existing_pairs
                )

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> list[Case]:
        """Two queries, however many jobs."""
        items = Item.objects.select_related("base").in_bulk([job.item_id for job in jobs if job.item_id])
        target = _target(run)
        cases: list[Case] = []
        for job in jobs:
            if item := items.get(job.item_id or 0):
                job.run, item.project = run, run.project
                draft = item.base.draft if item.base and item.state == Item.State.ACCEPTED else None
                group = job.subject.split("/", 2)[2]
                cases.append(PerturbCase(job, item, prompts, run.options, target, group, draft))
        return cases

    async def work(self, case: Case, ask: Ask) -> GeneratedItem:
        assert isinstance(case, PerturbCase)
        kind, target = case.item.project.kind, case.target
        if target is None or case.draft is None:
            why = (
                _("The project of the perturbations no longer exists.")
                if target is None
                else _("The item is no longer accepted.")
            )
            raise CallFailed(Cause.UNSUITABLE, why, step=case.group)
        facts, draft = facts_of(case, kind), _draft_of(kind, case.draft)
        if case.group not in kind.to_make(facts, draft, target.kind_options):
            raise CallFailed(Cause.UNSUITABLE, _("The category no longer fits this item."), step=case.group)
        if (target.kind.making_step(case.group, target.kind_options), "en") not in case.prompts.texts:
            raise CallFailed(Cause.UNSUITABLE, _("The category has changed; plan another run."), step=case.group)
        spoken = language(case.item, kind, facts)
        return await kind.make(case.group, facts, draft, target.kind_options, case.prompts, ask, language=spoken)

    def store(self, case: Case, outcome: GeneratedItem) -> None:
        """The child with its suggestion, once; see annotate/intake/generated_items.py."""
        assert isinstance(case, PerturbCase)
        assert case.target is not None
        run, target = case.job.run, case.target
        share = PerturbOptions.model_validate(run.options).looked_at
        is_first = generated_items.is_drawn_first(run, case.item.pk, case.group, share)
        kind = case.item.project.kind
        spoken = language(case.item, kind, facts_of(case, kind))
        step = target.kind.making_step(case.group, target.kind_options)
        version = summary(case.prompts, [step], spoken)
        first_reader = run.created_by if is_first else None
        again = bool(run.options.get("again"))
        generated_items.keep(outcome, Making(run, case.item, target, case.group, version, first_reader, again))

    def outcomes(self, run: Run, items: list[int]) -> dict[int, Any]:
        """item -> category -> what was made of it."""
        drafts_by_item: dict[int, Any] = {}
        annotations = Annotation.objects.filter(run=run, item__parent__in=items).order_by("pk")
        for item, group, draft in annotations.values_list("item__parent_id", "item__group", "draft"):
            if item is not None:
                drafts_by_item.setdefault(item, {})[group] = draft
        return drafts_by_item


PURPOSE = Perturb()


def _target(run: Run) -> Project | None:
    return generated_items.possible_targets(run.project).filter(slug=run.options.get("into", "")).first()


def _groups(run: Run, target: Project) -> Sequence[str]:
    """The chosen categories that the project has, or all of them."""
    known_groups = target.kind.groups_made(target.kind_options)
    groups = run.options.get("categories") or list(known_groups)
    return [group for group in groups if group in known_groups]


def _refuse_unless_led(run: Run, target: Project) -> None:
    """A command plans for the installation; a person may plan only if they lead both projects."""
    if run.created_by is None:
        return
    if not Member.objects.filter(project=target, user=run.created_by, role=Member.Role.LEAD).exists():
        raise Refused(_("You do not lead %(project)s, so you cannot create items there.") % {"project": target.name})


def _without_job(run: Run, items: Sequence[Item], target: Project) -> set[tuple[int, str]]:
    """(item, category) pairs that get no job: made already or, if all are made again, accepted."""
    children = generated_items.children([item.pk for item in items], target)
    if run.options.get("again"):
        children = children.filter(state=Item.State.ACCEPTED)
    return {(parent, group) for parent, group in children.values_list("parent_id", "group") if parent}


def _to_make(project: Project, item: Item, target: Project) -> Sequence[str]:
    """The groups to make of an item; none if its facts cannot be read."""
    kind = project.kind
    assert item.base is not None
    try:
        facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
        return kind.to_make(facts, kind.read_draft(item.base.draft), target.kind_options)
    except BadShape:
        return []


def _draft_of(kind: Kind, draft: dict[str, Any]) -> Any:
    try:
        return kind.read_draft(draft)
    except BadShape as bad:
        raise CallFailed(Cause.UNSUITABLE, str(bad)) from bad


def _chunks(items: Iterator[Item]) -> Iterator[list[Item]]:
    chunk: list[Item] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _labelled(field_type: Any, name: str, labels: Mapping[str, str]) -> tuple[Any, Any]:
    info = PerturbOptions.model_fields[name]
    default: Any = ... if info.is_required() else info.default
    field = Field(default, title=info.title, description=info.description, json_schema_extra={"labels": dict(labels)})
    return field_type, field
