"""What a report is: numbers of one project as one JSON object, and the same as a table to read."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from annotate.models import Project
from judging.models import Judge
from judging.services.scores import judges


class Refused(ValueError):
    """Why there is no such report; the text names the remedy."""


@dataclass(frozen=True)
class Wanted:
    """What was asked for beside the name. by: a division, or ""; judge: a name, or "".

    what: of the sorts of ratings one, or "" for what there is; level: on which they are compared, or "" for the usual.
    epsilon: the margin by which a judge may be worse than a person; None for the usual.
    runs: the runs that are compared; () for the newest that were planned together.
    raters: of people only these, by name or pattern; () for all.
    davidson: ties as an outcome of their own. beside: another leaderboard, name -> score; None for none.
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


@dataclass(frozen=True)
class Written:
    """value: the JSON object, without NaN or Infinity; text: the same for people."""

    value: dict[str, Any]
    text: str


class Report(ABC):
    """One report. Each module of one sets `REPORT` to an instance; the command and others find it by its slug."""

    slug: ClassVar[str]
    about: ClassVar[str]
    divisions: ClassVar[Sequence[str]] = ()  # what `by` may be
    compares: ClassVar[bool] = False  # ratings, so that `what` and `level` mean something
    compares_runs: ClassVar[bool] = False  # so that `runs` means something
    weighs: ClassVar[bool] = False  # judges against people, so that `what` and `epsilon` mean something
    ranks: ClassVar[bool] = False  # out of battles, so that `davidson` and `beside` mean something

    @abstractmethod
    def write(self, project: Project, options: Wanted) -> Written:
        """Raises Refused where there is nothing to report on."""


def votes_elsewhere(project: Project) -> str:
    """Where the votes of a study that people vote on in this project are reported; "" where there is none."""
    sources = Project.objects.filter(studies__project=project).exclude(pk=project.pk).distinct().order_by("slug")
    slugs = ", ".join(sources.values_list("slug", flat=True))
    return f" What people vote on here are answers of {slugs}: ask for the report of that project." if slugs else ""


def judge_named(project: Project, name: str) -> Judge:
    """The judge of that name, as a judge calls itself or in full; without a name the one with most verdicts.

    Raises Refused where none has judged, none is called so, or several are.
    """
    project_judges = judges(project)
    if not project_judges:
        raise Refused(
            "No judge has judged an answer yet: import judgements (import_judgements) or run a judge (judge)."
        )
    if not name:
        return project_judges[0]
    matches = [judge for judge in project_judges if name == str(judge)] or [
        judge for judge in project_judges if name == judge.name
    ]
    if len(matches) == 1:
        return matches[0]
    judge_names = ", ".join(f"“{judge}”" for judge in matches or project_judges)
    raise Refused(f"{'Several judges are' if matches else 'No judge is'} called “{name}”. Judges: {judge_names}.")
