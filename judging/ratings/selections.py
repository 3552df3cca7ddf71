"""Which items a board counts: all, or those of one language or one group."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from annotate.items.queries import languages_and_groups
from annotate.models import Item, Project
from judging.cache import cached, digest
from judging.ratings.counted_answers import AnswerFilter, CountedAnswer, outdated, unjudged
from judging.ratings.leaderboards import JudgeReading
from judging.verdicts.verdict_scores import JudgeScores

MOST_GROUPS = 10_000  # that are offered


class ItemSelection(NamedTuple):
    """language, group: "" for all."""

    language: str = ""
    group: str = ""

    @property
    def is_all(self) -> bool:
        return not (self.language or self.group)

    def items(self, project: Project) -> frozenset[int]:
        """Their numbers. One query."""
        values = {name: value for name, value in self._asdict().items() if value}
        return frozenset(Item.objects.filter(project=project, **values).values_list("pk", flat=True))


class SelectionChoices(NamedTuple):
    """The languages and groups of a project, by name; empty where all items have the same."""

    languages: Sequence[str] = ()
    groups: Sequence[str] = ()


def selection_choices(project: Project) -> SelectionChoices:
    """One query: lookups in two indexes, however many items there are."""
    columns = languages_and_groups(project, most=MOST_GROUPS)
    return SelectionChoices(*(sorted(filter(None, names)) if len(names) > 1 else [] for names in columns))


@dataclass(frozen=True)
class SelectedReading(JudgeReading):
    """A reading of some items of `whole`. What is left out is counted among these items too."""

    whole: JudgeReading
    items: frozenset[int]

    @cached_property
    def scores(self) -> JudgeScores:
        return cached("scores", self.state, self._scores)

    def _scores(self) -> JudgeScores:
        rows = self.whole.scores.rows
        return replace(
            self.whole.scores,
            rows=[row for row in rows if self.counts(row.item_id)],
            outdated=self._number_of(outdated(self.project, self.judge, AnswerFilter())),
            unjudged=self._number_of(unjudged(self.project, rows, AnswerFilter())),
        )

    def _number_of(self, answers: Iterable[CountedAnswer]) -> int:
        return sum(self.counts(answer.item_id) for answer in answers)

    def counts(self, item: int) -> bool:
        return item in self.items


def selected(reading: JudgeReading, selection: ItemSelection) -> JudgeReading:
    """The reading of the selected items. At most one query."""
    if selection.is_all:
        return reading
    state = digest([reading.state, *selection])
    return SelectedReading(reading.project, reading.judge, state, reading, selection.items(reading.project))
