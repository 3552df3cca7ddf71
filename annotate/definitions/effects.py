"""What a new version of a definition does to stored answers, counted before anything changes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from django.db.models import Exists, OuterRef, Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.items.queries import count_up_to
from annotate.kinds.contract import Kind
from annotate.kinds.questions.base import Question
from annotate.kinds.questions.versions import Versions
from annotate.kinds.values import BLANK
from annotate.models import Annotation, Item, Project

MOST_ANSWERS = 50_000  # texts that are looked at; beyond that the counts are of the newest
Fate = Literal["kept", "mapped", "invalid", "no_place", "new", "retired"]
MEANINGS: Mapping[Fate, Promise] = {
    "kept": _("kept as they are"),
    "mapped": _("under a new name or value"),
    "invalid": _("no longer among the allowed answers; kept, and shown as a problem"),
    "no_place": _("cannot be an answer of the new type; stored, and back with an older version"),
    "new": _("not asked so far; counted as missing"),
    "retired": _("no longer asked; kept under the old name"),
}


@dataclass(frozen=True)
class Effect:
    """How many stored answers to a question have this fate."""

    question: str
    fate: Fate
    count: int

    @property
    def meaning(self) -> str | Promise:
        return MEANINGS[self.fate]


@dataclass(frozen=True)
class Effects:
    """answers: how many submitted texts were looked at; cut: whether there are more.

    by_question: in the order of the form. shown, hidden: columns that people will see from now on, or no more.
    suggestions: of models that nobody has opened; unfit: those of them with an answer that is no longer allowed.
    """

    answers: int
    cut: bool
    by_question: list[Effect]
    shown: list[str]
    hidden: list[str]
    suggestions: int
    unfit: int


def effects(project: Project, kind: Kind) -> Effects:
    """kind: of the project, with the new version."""
    versions = cast(Versions, kind.versions)  # type: ignore[attr-defined]
    counts: Counter[tuple[str, Fate]] = Counter()
    seen = 0
    for draft, schema in _submitted(project)[: MOST_ANSWERS + 1]:
        seen += 1
        if seen <= MOST_ANSWERS:
            counts.update(_fates(versions, project.kind.upgrade(draft, schema), kind.upgrade(draft, schema)))
    order = [*versions.newest.by_name, *versions.retired]
    before, after = list(project.kind.fact_names), list(kind.fact_names)
    suggestions = [_is_unfit(project.kind, kind, *row) for row in _unopened(project)[:MOST_ANSWERS]]
    return Effects(
        answers=min(seen, MOST_ANSWERS),
        cut=seen > MOST_ANSWERS,
        by_question=[
            Effect(name, fate, counts[name, fate]) for name in order for fate in MEANINGS if counts[name, fate]
        ],
        shown=[name for name in after if name not in before],
        hidden=[name for name in before if name not in after],
        suggestions=len(suggestions),
        unfit=sum(suggestions),
    )


def stale_count(project: Project, kind: Kind) -> int:
    """How many accepted items people have answered under a version that asked otherwise; at most COUNTED_AT_MOST + 1.

    kind: of the project, with its newest version or with one that is not saved. They stay valid and can be reopened.
    """
    versions = cast(Versions, kind.versions)  # type: ignore[attr-defined]
    changed = [version for version in range(1, versions.number) if versions.changed_since(version)]
    accepted = Item.objects.counted().filter(project=project, state=Item.State.ACCEPTED)
    return count_up_to(accepted.filter(base__authored=True, base__schema__in=changed)) if changed else 0


def _submitted(project: Project) -> Any:
    """Drafts of people and imports, submitted or brought as final; the newest first."""
    by_people = Q(author__isnull=False, submitted_at__isnull=False) | ~Q(rater="")
    rows = Annotation.objects.filter(by_people, item__project=project).order_by("-pk")
    return rows.values_list("draft", "schema")


def _unopened(project: Project) -> Any:
    """Of items that nobody has begun, the newest suggestion of a model."""
    suggestions = Annotation.objects.exclude(model="")
    begun = Annotation.objects.filter(item=OuterRef("item"), author__isnull=False)
    newer = suggestions.filter(item=OuterRef("item"), pk__gt=OuterRef("pk"))
    waiting = suggestions.filter(item__project=project, item__state__in=[Item.State.IMPORTED, Item.State.READY])
    return waiting.filter(~Exists(begun), ~Exists(newer)).order_by("-pk").values_list("draft", "schema")


def _is_unfit(before: Kind, after: Kind, draft: dict[str, Any], schema: int) -> bool:
    versions = cast(Versions, after.versions)  # type: ignore[attr-defined]
    fates = _fates(versions, before.upgrade(draft, schema), after.upgrade(draft, schema))
    return any(fate in ("invalid", "no_place") for _question, fate in fates)


def _fates(versions: Versions, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, Fate]]:
    """before, after: the answers under the version of today, and under the new one."""
    origins = versions.origins_before()
    for question in versions.newest.questions:
        fate = _fate(question, origins.get(question.name), before, after)
        if fate:
            yield question.name, fate
    for name in versions.retired:
        if before.get(name) not in BLANK and name not in origins.values():
            yield name, "retired"


def _fate(question: Question, origin: str | None, before: Mapping[str, Any], after: Mapping[str, Any]) -> Fate | None:
    if origin is None:
        return "new"
    given = before.get(origin)
    if given in BLANK:
        return None
    if question.name not in after:
        return "no_place"
    answer = after[question.name]
    if not question.fits(answer):
        return "invalid"
    return "kept" if answer == given and origin == question.name else "mapped"
