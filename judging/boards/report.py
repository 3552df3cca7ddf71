"""The base of all reports, and tables of text.

A report gives the numbers of one project as one JSON object, and the same as a table to read.
"""

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.models import Project
from judging.models import Judge
from judging.verdicts.judges import judges_called
from judging.verdicts.verdict_scores import judges
from lib.stats.figures import Figure


class Refused(ValueError):
    """There is no such report; the message says why and what to do."""


@dataclass(frozen=True)
class ReportOptions:
    """The options of a report. by: a division, or ""; judge: a name, or "".

    what: one kind of ratings, or "" for the one that exists; level: of measurement, or "" for the default.
    epsilon: the margin by which a judge may be worse than a person; None for the default.
    runs: the runs that are compared; () for the newest that were planned together.
    raters: only these people, by name or pattern; () for all.
    davidson: ties as an outcome of their own. beside: another leaderboard, name -> score; None for none.
    words: name -> word of the options that the board itself declares.
    """

    by: str = ""
    judge: str = ""
    what: str = ""
    level: str = ""
    epsilon: float | None = None
    runs: Sequence[int] = ()
    raters: Sequence[str] = ()
    davidson: bool = False
    beside: Mapping[str, float] | None = None
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ReportOutput:
    """value: the JSON object, without NaN or Infinity; text: the same for people."""

    value: dict[str, Any]
    text: str


class Report(ABC):
    """One report. A board lists its reports; they are found by slug."""

    slug: str
    about: str
    divisions: Sequence[str] = ()  # the allowed values of `by`
    divides_by_columns: bool = False  # `by` is a column of the items
    compares: bool = False  # ratings: `what` and `level` have a meaning
    compares_runs: bool = False  # `runs` has a meaning
    weighs: bool = False  # judges against people: `what` and `epsilon` have a meaning
    ranks: bool = False  # by battles: `davidson` and `beside` have a meaning
    takes_words: bool = False  # `words` has a meaning

    @abstractmethod
    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        """The report. Raises Refused if there is nothing to report on."""


def votes_elsewhere(project: Project) -> str:
    """Says where the votes of a study of this project are reported; "" if no study is voted on here."""
    sources = Project.objects.filter(studies__project=project).exclude(pk=project.pk).distinct().order_by("slug")
    slugs = ", ".join(sources.values_list("slug", flat=True))
    return f" The answers voted on here belong to {slugs}: run the report for that project." if slugs else ""


def judge_named(project: Project, name: str) -> Judge:
    """The judge with that name; without a name the one with most verdicts. A short name means the newest version.

    Raises Refused if nobody has judged, or if no judge or several judges have that name.
    """
    project_judges = judges(project)
    if not project_judges:
        raise Refused("There are no verdicts yet: import judgements (import_judgements) or run a judge (judge).")
    if not name:
        return project_judges[0]
    matches = judges_called(project_judges, name)
    if len(matches) == 1:
        return matches[0]
    judge_names = ", ".join(f"“{judge}”" for judge in matches or project_judges)
    raise Refused(f"{'Several judges are' if matches else 'No judge is'} called “{name}”. Judges: {judge_names}.")


# Tables of text for terminals.


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Aligned columns: the first `left` of them to the left, the others to the right."""
    widths = [max(map(width, column)) for column in zip(header, *rows, strict=True)]
    lines = [_line(row, widths, left) for row in [header, ["─" * column_width for column_width in widths], *rows]]
    return "\n".join(lines)


def width(text: str) -> int:
    """Width of a text in a terminal: Chinese characters take two places."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _line(cells: Sequence[str], widths: Sequence[int], left: int) -> str:
    padded = [
        cell + " " * (wide - width(cell)) if index < left else " " * (wide - width(cell)) + cell
        for index, (cell, wide) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()


# Figures as reports give them: 0..100 with two decimals.
FIGURES = ("agreement", "consistency", "accuracy", "agreement_of_consistent")


def figure_value(figure: Figure) -> float | None:
    return None if figure.value is None else hundredths(figure.value)


def hundredths(value: float) -> float:
    """0..1 as 0..100 with two decimals."""
    return round(value * 100, 2)
