"""How many items of each group people have found good, beside how many the project wants."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Count
from django.db.models.fields.json import KeyTextTransform

from annotate.kinds.values import Wanted
from annotate.models import Item, Project


@dataclass(frozen=True)
class Covered:
    """found: accepted work items of the group whose field has the wanted value."""

    wanted: Wanted
    found: int

    @property
    def is_met(self) -> bool:
        return self.found >= self.wanted.count

    @property
    def shown(self) -> int:
        """What a bar of `wanted` can hold."""
        return min(self.found, self.wanted.count)


@dataclass(frozen=True)
class Part:
    """The groups under one heading, such as an ability."""

    name: str
    rows: Sequence[Covered]

    @property
    def met(self) -> int:
        return sum(row.is_met for row in self.rows)


def coverage(project: Project) -> list[Part]:
    """By part, in the kind's order; nothing where the kind has no such goal."""
    goals = project.kind.wanted(project.kind_options)
    counts_by_field = {field: _found(project, field) for field in {goal.field for goal in goals}}
    rows = [Covered(goal, counts_by_field[goal.field][goal.group, goal.value]) for goal in goals]
    return list(_parts(rows))


def _found(project: Project, field: str) -> Counter[tuple[str, str]]:
    """(group, value of the field in what was accepted) -> accepted work items."""
    accepted = Item.objects.counted().filter(project=project, state=Item.State.ACCEPTED)
    valued = accepted.annotate(value=KeyTextTransform(field, "base__draft")).order_by()
    rows = valued.values_list("group", "value").annotate(n=Count("pk"))
    return Counter({(group, value): n for group, value, n in rows})


def _parts(rows: Sequence[Covered]) -> Iterator[Part]:
    for name, members in groupby(rows, key=lambda row: row.wanted.part):
        yield Part(name, list(members))
