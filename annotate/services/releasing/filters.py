"""Which items a release holds, and into which split each one falls."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from annotate.models import Item, Project
from annotate.models.items import ItemQuerySet

ANY = "any"


@dataclass(frozen=True)
class Filters:
    """state: accepted, another state, or any. groups, languages: all where empty.

    splits: name -> share, adding up to 1; which one an item falls into is drawn by seed and key, so that it stays
    there when the dataset grows.
    """

    state: str = Item.State.ACCEPTED.value
    groups: list[str] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    splits: dict[str, float] = field(default_factory=dict)
    seed: int = 0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def items(self, project: Project) -> ItemQuerySet:
        """The items in the order of the release; never one that its reporter has withdrawn."""
        items = Item.objects.counted().filter(project=project, erasure=None)
        if self.state != ANY:
            items = items.filter(state=self.state)
        if self.groups:
            items = items.filter(group__in=self.groups)
        if self.languages:
            items = items.filter(language__in=self.languages)
        return items.order_by("pk")

    def split_of(self, key: str) -> str | None:
        if not self.splits:
            return None
        fraction = int.from_bytes(hashlib.sha256(f"{self.seed}:{key}".encode()).digest()[:8]) / 2**64
        reached = 0.0
        for name, share in self.splits.items():
            reached += share
            if fraction < reached:
                return name
        return list(self.splits)[-1]


def fault_of_splits(splits: Mapping[str, float]) -> str | None:
    """Why these shares cannot be drawn; None if they can."""
    if not splits:
        return None
    if any(not 0 < share <= 1 for share in splits.values()):
        return _("Every split needs a share above 0 and up to 1.")
    total = sum(splits.values())
    if abs(total - 1) > 0.001:
        return _("The shares of the splits add up to %(sum)s, not to 1.") % {"sum": f"{total:.4g}"}
    return None
