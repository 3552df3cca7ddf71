"""How good the prompts are by which items are made: what people say first of each one, by group and version."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotate.kinds.values import BadShape
from annotate.models import Annotation, Item, Project, PromptVersion, Run, Slot
from annotate.services import making
from annotate.services.prompts import Key


class Tally(NamedTuple):
    """passed of n; n counts what people have handed in."""

    passed: int = 0
    n: int = 0

    def counted(self, passed: bool) -> "Tally":
        return Tally(self.passed + passed, self.n + 1)


@dataclass
class Row:
    """One group made by one version of its prompt. first: of the share drawn at random; all: of whatever was said.

    version: None where it can no longer be told.
    """

    target: Project
    group: str
    name: str
    version: PromptVersion | None
    made: int = 0
    drawn: int = 0
    first: Tally = field(default_factory=Tally)
    all: Tally = field(default_factory=Tally)

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


def rows(project: Project, purpose: str) -> list[Row]:
    """Of all that runs of this project have made, newest version first; a query each for runs, prompts and texts."""
    runs = Run.objects.filter(project=project, purpose=purpose).in_bulk()
    versions = _versions(runs)
    found: list[Row] = []
    for target in making.possible_targets(project):
        made = _made(runs, target)
        said = _said(target, [one.item for one in made])
        found += _tallied(target, made, said, runs, versions)
    return found


def _versions(runs: Iterable[int]) -> Mapping[tuple[int, str, str], PromptVersion]:
    links = Run.prompts.through.objects.filter(run__in=list(runs)).select_related("promptversion")
    return {(one.run_id, one.promptversion.step, one.promptversion.language): one.promptversion for one in links}


def _made(runs: Iterable[int], target: Project) -> list[_Made]:
    """The first suggestion of each run for each item: what the model made, before anything was read anew."""
    suggested = Annotation.objects.filter(run__in=list(runs), item__project=target, item__parent__isnull=False)
    columns = ("run_id", "item_id", "item__parent_id", "item__group", "prompt_version", "draft")
    newest_first = suggested.order_by("-pk").values_list(*columns)
    return list({row[1]: _Made(*row) for row in newest_first}.values())


def _said(target: Project, items: list[int]) -> Mapping[int, dict[str, Any]]:
    """What somebody first handed in about an item, as far as it may be told already."""
    about = Annotation.objects.filter(item__project=target, item__parent__isnull=False, author__isnull=False)
    about = about.filter(item__purpose=Item.Purpose.WORK)
    given = about.filter(submitted_at__isnull=False, slot__stage=Slot.Stage.ANNOTATE).in_the_open()
    wanted = set(items)
    return {item: draft for item, draft in given.order_by("-pk").values_list("item_id", "draft") if item in wanted}


def _tallied(
    target: Project,
    made: Iterable[_Made],
    said: Mapping[int, dict[str, Any]],
    runs: Mapping[int, Run],
    versions: Mapping[tuple[int, str, str], PromptVersion],
) -> list[Row]:
    names = target.kind.groups_made(target.kind_options)
    facts = dict(Item.objects.filter(pk__in=list(said)).values_list("pk", "facts")) if said else {}
    found: dict[tuple[str, int], Row] = {}
    for one in made:
        version = _version(one, target, versions)
        at = (one.group, version.pk if version else 0)
        row = found.setdefault(at, Row(target, one.group, names.get(one.group, one.group), version))
        run = runs[one.run]
        is_first = making.drawn(run, one.parent, one.group, float(run.options.get("looked_at", making.SHARE)))
        row.made, row.drawn = row.made + 1, row.drawn + is_first
        if one.item in said:
            passed = _passes(target, facts[one.item], one.draft, said[one.item])
            row.all = row.all.counted(passed)
            row.first = row.first.counted(passed) if is_first else row.first
    order = list(names)
    return sorted(
        found.values(),
        key=lambda row: (
            order.index(row.group) if row.group in order else len(order),
            -(row.version.pk if row.version else 0),
        ),
    )


def _version(
    one: _Made, target: Project, versions: Mapping[tuple[int, str, str], PromptVersion]
) -> PromptVersion | None:
    step, language = target.kind.making_step(one.group, target.kind_options), one.told.rpartition(" ")[2]
    return versions.get((one.run, step, language))


def _passes(target: Project, facts: dict[str, Any], made: dict[str, Any], said: dict[str, Any]) -> bool:
    """The verdict is the one that the group is to get, and nobody had to correct the text for it."""
    kind = target.kind
    try:
        as_wanted = kind.passes(kind.read_facts(facts), kind.read_draft(said), target.kind_options)
    except BadShape:
        return False
    return as_wanted and not kind.revised(made, said)
