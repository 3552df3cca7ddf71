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
    tallies = heard(project)
    judges = Judge.objects.in_bulk({tally.judge for tally in tallies})
    ordered = sorted(judges.values(), key=lambda judge: (judge.name, judge.strategy, judge.variant))
    judge_checks = [_checked(judge, [tally for tally in tallies if tally.judge == judge.pk]) for judge in ordered]
    return [_checked(None, tallies), *judge_checks] if tallies else []


def heard(project: Project) -> list[Heard]:
    """Every verdict that somebody has labelled, in the order of verdicts. Labels of what is gone do not count."""
    tally_by_verdict: dict[int, Heard] = {}
    columns = ("verdict_id", "verdict__judge_id", "verdict__found_in_explanation", "found")
    rows = ExplanationLabel.objects.filter(verdict__in=examined(project)).order_by("verdict_id", "pk")
    for verdict, judge, reader, label in rows.values_list(*columns):
        tally = tally_by_verdict.setdefault(verdict, Heard(verdict, judge, reader))
        if label is None:
            tally.unsure += 1
        elif label:
            tally.yes += 1
        else:
            tally.no += 1
    return list(tally_by_verdict.values())


def behind(project: Project, *, which: str, judge: int = 0, start: int = 0, size: int = PAGE) -> OpenedPage:
    """The verdicts that a number counts. which: a name in WHICH, else all labelled; judge: 0 is all."""
    outcomes = WHICH.get(which, (*COMPARED, *LEFT_OUT))
    tallies = [tally for tally in heard(project) if tally.outcome in outcomes and judge in (0, tally.judge)]
    page_tallies = tallies[start : start + size]
    verdicts = Verdict.objects.select_related("judge", "item").in_bulk([tally.verdict for tally in page_tallies])
    return OpenedPage(
        opened=[Opened(verdicts[tally.verdict], tally) for tally in page_tallies if tally.verdict in verdicts],
        total=len(tallies),
        before=max(start - size, 0) if start else None,
        after=start + size if start + size < len(tallies) else None,
    )


def _checked(judge: Judge | None, tallies: Sequence[Heard]) -> Checked:
    outcomes = Counter(tally.outcome for tally in tallies)
    coefficient_by_name = coefficients(ratings(_rows(tallies)), names=("percent", "cohen_kappa"))
    counts = {name: sum(outcomes[outcome] for outcome in among) for name, among in WHICH.items()}
    return Checked(judge, counts, coefficient_by_name["percent"], coefficient_by_name["cohen_kappa"])


def _rows(tallies: Sequence[Heard]) -> Iterator[tuple[str, str, bool]]:
    """The reader and people as two raters."""
    for tally in tallies:
        if tally.people is not None:
            yield str(tally.verdict), "reader", tally.reader
            yield str(tally.verdict), "people", tally.people
