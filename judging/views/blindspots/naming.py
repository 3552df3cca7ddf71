"""What abilities and categories are called in a project, and in which order they stand."""

from collections.abc import Iterable

from annotate.models import Project
from judging.services.blindspots.cells import Spot


class Names:
    """By the kind's own list of groups; what is not in it keeps its word and comes last."""

    def __init__(self, project: Project) -> None:
        listed = project.kind.wanted(project.kind_options)
        self._groups = {group.group: (index, str(group.name), str(group.part)) for index, group in enumerate(listed)}

    def category(self, slug: str) -> str:
        return self._groups[slug][1] if slug in self._groups else slug

    def ability(self, spot: Spot) -> str:
        ability, category = spot
        return self._groups[category][2] if category in self._groups else ability

    def in_order(self, spots: Iterable[Spot]) -> list[Spot]:
        """Abilities by their first category, each with all of its categories."""
        ordered = sorted(spots, key=self._place)
        rank_by_ability: dict[str, int] = {}
        for ability, _category in ordered:
            rank_by_ability.setdefault(ability, len(rank_by_ability))
        return sorted(ordered, key=lambda spot: rank_by_ability[spot[0]])

    def _place(self, spot: Spot) -> tuple[int, Spot]:
        return (self._groups[spot[1]][0] if spot[1] in self._groups else len(self._groups)), spot
