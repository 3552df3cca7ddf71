"""How far people find in explanations what a model found there: counts, agreement, and the verdicts behind them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotate.models import Project
from judging.models import ExplanationLabel, Judge, Verdict
from judging.services.blindspots.reading_sample import examined
from lib.stats.agreement import Coefficient, coefficients, ratings

PAGE = 25
BOTH_YES, BOTH_NO, READER_ONLY, PEOPLE_ONLY = "both_yes", "both_no", "reader_only", "people_only"
SPLIT, CANNOT_TELL = "split", "cannot_tell"
COMPARED = (BOTH_YES, BOTH_NO, READER_ONLY, PEOPLE_ONLY)
LEFT_OUT = (CANNOT_TELL, SPLIT)
# What a number of the table counts -> what came of the verdicts in it.
WHICH: Mapping[str, Sequence[str]] = {
    "compared": COMPARED,
    "agree": (BOTH_YES, BOTH_NO),
    READER_ONLY: (READER_ONLY,),
    PEOPLE_ONLY: (PEOPLE_ONLY,),
    "people_no": (BOTH_NO, READER_ONLY),
    "people_yes": (BOTH_YES, PEOPLE_ONLY),
    CANNOT_TELL: (CANNOT_TELL,),
    SPLIT: (SPLIT,),
}


@dataclass
class Heard:
    """What was said about one explanation. reader: what the model found; yes, no, unsure: how many people say so."""

    verdict: int
    judge: int
    reader: bool
    yes: int = 0
    no: int = 0
    unsure: int = 0

    @property
    def people(self) -> bool | None:
        """What most of those say who can tell; None where as many say yes as no, or nobody can tell."""
        return None if self.yes == self.no else self.yes > self.no

    @property
    def outcome(self) -> str:
        if self.people is None:
            return SPLIT if self.yes else CANNOT_TELL
        if self.people == self.reader:
            return BOTH_YES if self.reader else BOTH_NO
        return READER_ONLY if self.reader else PEOPLE_ONLY


@dataclass(frozen=True)
class Checked:
    """The reader against people over the verdicts that were labelled. judge: None is all of them.

    counts: name in WHICH -> verdicts. percent: share of equal ones in 0..1; kappa: Cohen's; both over verdicts.
    """

    judge: Judge | None
    counts: Mapping[str, int]
    percent: Coefficient
    kappa: Coefficient

    @property
    def n(self) -> int:
        return self.counts["compared"]

    @property
    def query(self) -> str:
        """Of the page of verdicts, for this judge."""
        return f"?judge={self.judge.pk if self.judge else 0}"

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of the share of equal ones."""
        low, high = self.percent.low, self.percent.high
        return None if low is None or high is None else (low, high)


@dataclass(frozen=True)
class Opened:
    verdict: Verdict
    heard: Heard


@dataclass(frozen=True)
class OpenedPage:
    """before, after: where the neighbouring pages start; None where there is none."""

    opened: Sequence[Opened]
    total: int
    before: int | None
    after: int | None


def checked(project: Project) -> list[Checked]:
    """All judges together, then each, by name; nothing where nobody has labelled. Two queries."""
    said = heard(project)
    judges = Judge.objects.in_bulk({one.judge for one in said})
    ordered = sorted(judges.values(), key=lambda judge: (judge.name, judge.strategy, judge.variant))
    each = [_checked(judge, [one for one in said if one.judge == judge.pk]) for judge in ordered]
    return [_checked(None, said), *each] if said else []


def heard(project: Project) -> list[Heard]:
    """Every verdict that somebody has labelled, in the order of verdicts. Labels of what is gone do not count."""
    found: dict[int, Heard] = {}
    columns = ("verdict_id", "verdict__judge_id", "verdict__found_in_explanation", "found")
    rows = ExplanationLabel.objects.filter(verdict__in=examined(project)).order_by("verdict_id", "pk")
    for verdict, judge, reader, label in rows.values_list(*columns):
        one = found.setdefault(verdict, Heard(verdict, judge, reader))
        if label is None:
            one.unsure += 1
        elif label:
            one.yes += 1
        else:
            one.no += 1
    return list(found.values())


def behind(project: Project, *, which: str, judge: int = 0, start: int = 0, size: int = PAGE) -> OpenedPage:
    """The verdicts that a number counts. which: a name in WHICH, else all labelled; judge: 0 is all."""
    wanted = WHICH.get(which, (*COMPARED, *LEFT_OUT))
    found = [one for one in heard(project) if one.outcome in wanted and judge in (0, one.judge)]
    shown = found[start : start + size]
    verdicts = Verdict.objects.select_related("judge", "item").in_bulk([one.verdict for one in shown])
    return OpenedPage(
        opened=[Opened(verdicts[one.verdict], one) for one in shown if one.verdict in verdicts],
        total=len(found),
        before=max(start - size, 0) if start else None,
        after=start + size if start + size < len(found) else None,
    )


def _checked(judge: Judge | None, said: Sequence[Heard]) -> Checked:
    outcomes = Counter(one.outcome for one in said)
    found = coefficients(ratings(_rows(said)), names=("percent", "cohen_kappa"))
    counts = {name: sum(outcomes[one] for one in among) for name, among in WHICH.items()}
    return Checked(judge, counts, found["percent"], found["cohen_kappa"])


def _rows(said: Sequence[Heard]) -> Iterator[tuple[str, str, bool]]:
    """The reader and people as two raters."""
    for one in said:
        if one.people is not None:
            yield str(one.verdict), "reader", one.reader
            yield str(one.verdict), "people", one.people
