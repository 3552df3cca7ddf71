"""What an import says about itself: counts that add up, and problems up to a limit."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import ngettext

from annotate.formats.rows import Problem, told
from annotate.services.importing.grouping import ProblemList

LISTED = 1000


@dataclass
class Report:
    """read = kept + duplicates + rejected. problems: the first thousand entries, as stored; unlisted: how many more.

    A problem that many rows have is one entry, with a count and its first lines (see ProblemList).
    """

    read: int = 0
    kept: int = 0
    duplicates: int = 0
    rejected: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)
    unlisted: int = 0
    faults: int = 0  # errors of whole files, which no row is counted for

    @property
    def flawless(self) -> bool:
        return not self.rejected and not self.faults

    def __post_init__(self) -> None:
        self._list = ProblemList(self.problems, most=LISTED)

    def tell(self, problems: Iterable[Problem]) -> None:
        self._enter(problem.stored() for problem in problems)

    def _enter(self, entries: Iterable[dict[str, Any]]) -> None:
        for entry in entries:
            if not self._list.add(entry):
                self.unlisted += entry.get("count", 1)

    def add(self, other: "Report") -> None:
        """Count another file's report in."""
        for name in ("read", "kept", "duplicates", "rejected", "faults"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.unlisted += other.unlisted
        self._enter(other.problems)

    def refuse_all(self) -> None:
        """Nothing is kept, though some rows could have been."""
        self.rejected += self.kept
        self.kept = 0

    def as_json(self) -> dict[str, Any]:
        counts = {name: getattr(self, name) for name in ("read", "kept", "duplicates", "rejected")}
        return counts | {"problems": [*map(told, self.problems), *self._and_more()]}

    def _and_more(self) -> list[dict[str, Any]]:
        if not self.unlisted:
            return []
        message = ngettext(
            "%(count)s more problem is not listed.", "%(count)s more problems are not listed.", self.unlisted
        )
        return [Problem("", None, "", message % {"count": self.unlisted}, "warning").as_json()]
