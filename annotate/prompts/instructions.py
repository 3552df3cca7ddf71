"""Quality of the prompts that generate items: people's first verdicts on the items, by group and version."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse

from annotate.engine.prompts import Key
from annotate.intake import generated_items
from annotate.kinds.values import BadShape
from annotate.models import Annotation, Item, Project, PromptVersion, Run, Slot
from annotate.purposes.perturb import PURPOSE
from annotate.web.access import LEADS, membership, project_page


class PassTally(NamedTuple):
    """passed of n; n counts what people have submitted."""

    passed: int = 0
    n: int = 0

    def counted(self, passed: bool) -> "PassTally":
        return PassTally(self.passed + passed, self.n + 1)


@dataclass
class InstructionRow:
    """One group by one version of its prompt. first: the share drawn at random; all: every item with a verdict.

    version: None if it is no longer known.
    """

    target: Project
    group: str
    name: str
    version: PromptVersion | None
    made: int = 0
    drawn: int = 0
    first: PassTally = field(default_factory=PassTally)
    all: PassTally = field(default_factory=PassTally)

    @property
    def key(self) -> str:
        return str(Key(self.version.scope, self.version.step, self.version.language)) if self.version else ""


class _Made(NamedTuple):
    run: int
    item: int
    parent: int
    group: str
    told: str
    draft: dict[str, Any]


def rows(project: Project, purpose: str) -> list[InstructionRow]:
    """Everything that runs of this project have generated, newest version first; one query each for runs, prompts and
    texts.
    """
    runs = Run.objects.filter(project=project, purpose=purpose).in_bulk()
    versions = _versions(runs)
    result_rows: list[InstructionRow] = []
    for target in generated_items.possible_targets(project):
        children = _first_suggestions(runs, target)
        answers_by_item = _first_texts(target, [child.item for child in children])
        result_rows += _tallied(target, children, answers_by_item, runs, versions)
    return result_rows


def _versions(runs: Iterable[int]) -> Mapping[tuple[int, str, str], PromptVersion]:
    links = Run.prompts.through.objects.filter(run__in=list(runs)).select_related("promptversion")
    return {(link.run_id, link.promptversion.step, link.promptversion.language): link.promptversion for link in links}


def _first_suggestions(runs: Iterable[int], target: Project) -> list[_Made]:
    """The first suggestion of each run for each item: what the model generated, before anything was read again."""
    suggested = Annotation.objects.filter(run__in=list(runs), item__project=target, item__parent__isnull=False)
    columns = ("run_id", "item_id", "item__parent_id", "item__group", "prompt_version", "draft")
    newest_first = suggested.order_by("-pk").values_list(*columns)
    return list({row[1]: _Made(*row) for row in newest_first}.values())


def _first_texts(target: Project, items: list[int]) -> Mapping[int, dict[str, Any]]:
    """The first submitted text about each item, as far as it may be shown already."""
    about = Annotation.objects.filter(item__project=target, item__parent__isnull=False, author__isnull=False)
    about = about.filter(item__purpose=Item.Purpose.WORK)
    texts = about.filter(submitted_at__isnull=False, slot__stage=Slot.Stage.ANNOTATE).in_the_open()
    item_ids = set(items)
    return {item: draft for item, draft in texts.order_by("-pk").values_list("item_id", "draft") if item in item_ids}


def _tallied(
    target: Project,
    children: Iterable[_Made],
    answers_by_item: Mapping[int, dict[str, Any]],
    runs: Mapping[int, Run],
    versions: Mapping[tuple[int, str, str], PromptVersion],
) -> list[InstructionRow]:
    names = target.kind.groups_made(target.kind_options)
    facts = (
        dict(Item.objects.filter(pk__in=list(answers_by_item)).values_list("pk", "facts")) if answers_by_item else {}
    )
    rows_by_key: dict[tuple[str, int], InstructionRow] = {}
    for child in children:
        version = _version(child, target, versions)
        row_key = (child.group, version.pk if version else 0)
        row = rows_by_key.setdefault(
            row_key, InstructionRow(target, child.group, names.get(child.group, child.group), version)
        )
        run = runs[child.run]
        is_first = generated_items.is_drawn_first(
            run, child.parent, child.group, float(run.options.get("looked_at", generated_items.SHARE))
        )
        row.made, row.drawn = row.made + 1, row.drawn + is_first
        if child.item in answers_by_item:
            passed = _passes(target, facts[child.item], child.draft, answers_by_item[child.item])
            row.all = row.all.counted(passed)
            row.first = row.first.counted(passed) if is_first else row.first
    order = list(names)
    return sorted(
        rows_by_key.values(),
        key=lambda row: (
            order.index(row.group) if row.group in order else len(order),
            -(row.version.pk if row.version else 0),
        ),
    )


def _version(
    child: _Made, target: Project, versions: Mapping[tuple[int, str, str], PromptVersion]
) -> PromptVersion | None:
    step, language = target.kind.making_step(child.group, target.kind_options), child.told.rpartition(" ")[2]
    return versions.get((child.run, step, language))


def _passes(target: Project, facts: dict[str, Any], made_draft: dict[str, Any], answer: dict[str, Any]) -> bool:
    """The verdict is the one that the group is meant to get, and nobody had to correct the text for it."""
    kind = target.kind
    try:
        as_wanted = kind.passes(kind.read_facts(facts), kind.read_draft(answer), target.kind_options)
    except BadShape:
        return False
    return as_wanted and not kind.revised(made_draft, answer)


# The page, with a link to the next round.


@login_required
def prompts_made(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    linked_rows = [(row, _again(row)) for row in rows(lead.project, PURPOSE.slug)]
    context = {"rows": linked_rows, "is_possible": PURPOSE.suits(lead.project)}
    return project_page(request, lead, "prompts/made.html", context, tab="prompts")


def _again(row: InstructionRow) -> str:
    """The link to the form of runs with this category chosen, and without making accepted items again."""
    return urlencode(
        {
            "run-purpose": PURPOSE.slug,
            "run-option-into": row.target.slug,
            "run-option-categories": row.group,
            "run-option-again": "on",
        }
    )
