"""How a person's answer to a check compares with the expected one, by the kind's own idea of agreement."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.models import Annotation, Item, Project

EXPECTED = "expected"  # the rater of an expected answer of which only some fields count; they stand in `decided`
OPEN: tuple[Any, ...] = (None, "")  # nothing is expected; an empty list may be: that none applies


@dataclass(frozen=True)
class Outcome:
    """fields: the names that are judged, in the order of the form; wrong: those in which the answer is another one."""

    fields: Sequence[str]
    wrong: Sequence[str]

    @property
    def n(self) -> int:
        return len(self.fields)

    @property
    def hits(self) -> int:
        return len(self.fields) - len(self.wrong)


@dataclass(frozen=True)
class Tally:
    """hits of n judged fields in so many checks."""

    hits: int = 0
    n: int = 0
    checks: int = 0

    @property
    def share(self) -> float | None:
        """None where nothing was judged."""
        return self.hits / self.n if self.n else None

    @property
    def percent(self) -> float | None:
        return 100 * self.hits / self.n if self.n else None

    def reaches(self, least: object) -> bool:
        """Whether the share is at least this; nothing judged reaches nothing. Counted exactly, as shares are stored."""
        return self.n > 0 and self.hits >= float(str(least)) * self.n - 1e-9


def outcome(annotation: Annotation, project: Project) -> Outcome:
    """annotation: with its item and the item's base. Without an expected answer nothing is judged."""
    item, kind = annotation.item, project.kind
    if item.base is None:
        return Outcome([], [])
    facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
    drafts = [kind.upgrade(text.draft, text.schema) for text in (item.base, annotation)]
    counted = _counted(item, project, facts)
    judged = [name for name in counted if drafts[0].get(name) not in OPEN]
    unsuitable = [kind.unsuitable(kind.read_draft(draft)) for draft in drafts]
    if all(unsuitable):
        return Outcome(judged, [])
    differing_names = kind.disagreements(facts, drafts)
    if any(unsuitable):  # then the whole answer is another one, and above all the field that says so
        whole = [name for name in counted if name in judged or name in differing_names]
        return Outcome(whole, whole)
    return Outcome(judged, [name for name in judged if name in differing_names])


def _counted(item: Item, project: Project, facts: object) -> list[str]:
    """The names of the fields that are compared; published data leaves some of them open, and nobody is wrong there."""
    names = [field.name for field in project.kind.fields(facts) if not field.free]
    assert item.base is not None
    decided_names = item.base.decided if item.base.rater == EXPECTED else []
    return [name for name in names if name in decided_names] or names


def tally(annotations: Iterable[Annotation], project: Project) -> Tally:
    outcomes = [outcome(annotation, project) for annotation in annotations]
    return Tally(
        sum(answer_outcome.hits for answer_outcome in outcomes),
        sum(answer_outcome.n for answer_outcome in outcomes),
        len(outcomes),
    )
