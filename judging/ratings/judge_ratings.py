"""Judges' verdicts as ratings: the newest verdicts about current texts, in a fixed number of queries."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter, itemgetter
from sys import intern

from annotate.models import Project
from judging.models import Judge, Part, Verdict, VerdictQuerySet
from judging.ratings.units import CHECKLIST, PREFERENCE, SCORE, AnswerUnit, PairUnit, Rater, Rating, Today, Unit
from judging.strategies.strategy import numbers_its_own
from lib.progress import followed

OUTDATED, UNDECIDED, SUPERSEDED = "outdated", "undecided", "superseded"
AS_RATED = {"first": "first", "second": "second", "tie": "tie", "both_good": "tie", "both_bad": "both_bad"}
OTHER_WAY_ROUND = {"first": "second", "second": "first"}

AT_ONCE = 5000
MET, NOT_MET = 1.0, 0.0
Axes = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class _RatedVerdict:
    """One verdict as columns."""

    pk: int
    judge: int
    item: int
    first: int
    second: int | None
    swapped: bool
    repeat: int
    score: float | None
    sha: str
    reading: str
    choice: str

    @property
    def place(self) -> tuple[int, int, int | None, bool, int]:
        return self.judge, self.first, self.second, self.swapped, self.repeat

    @property
    def was_read(self) -> bool:
        return self.reading == Verdict.Reading.OK.value


def of_judges(
    project: Project, rating_kind: str, *, left_out: Counter[str] | None = None, today: Today | None = None
) -> Iterator[Rating]:
    """Ratings of all judges of the project, by judge and verdict, read one judge at a time. today: of this project, if
    at hand.

    left_out: gets reason -> verdicts that are not ratings: `outdated` (text or item changed since), `undecided` (item
    not accepted), `superseded` (the same judge was asked the same again later).
    An unreadable verdict is a rating without a value.
    """
    counted = left_out if left_out is not None else Counter()
    today = today or Today(project)
    raters = raters_of(today.judges)
    if not raters:
        return
    parts_by_judge = iter(()) if rating_kind == PREFERENCE else _parts_by_judge(project)
    judge_of_parts, parts = next(parts_by_judge, (0, {}))
    own_numbering = {judge.pk for judge in today.judges if numbers_its_own(judge.strategy)}
    for judge, rows in groupby(_verdicts(project, rating_kind), key=attrgetter("judge")):
        while judge_of_parts and judge_of_parts < judge:
            judge_of_parts, parts = next(parts_by_judge, (0, {}))
        verdicts = _newest(rows, today, counted)
        if rating_kind == PREFERENCE:
            yield from (_preference(verdict, today, raters) for verdict in verdicts)
        else:
            judge_parts = parts if judge_of_parts == judge else {}
            yield from _single(verdicts, judge_parts, rating_kind, judge in own_numbering, today, raters)


def _single(
    verdicts: Sequence[_RatedVerdict],
    parts: Mapping[int, Axes],
    rating_kind: str,
    has_own_numbering: bool,
    today: Today,
    raters: Mapping[int, Rater],
) -> Iterator[Rating]:
    """Ratings of one judge about single answers. parts: verdict -> score by axis."""
    questions = {verdict.item: 0 if has_own_numbering else today.questions(verdict.item) for verdict in verdicts}
    asks_questions = any(_is_checklist(parts.get(verdict.pk, {}), questions[verdict.item]) for verdict in verdicts)
    for verdict in verdicts:
        axes, count = parts.get(verdict.pk, {}), questions[verdict.item]
        by_question = _is_checklist(axes, count) or (not verdict.was_read and asks_questions)
        if rating_kind == CHECKLIST and by_question:
            yield from _questions(verdict, axes, count, today, raters)
        elif rating_kind == SCORE and not by_question:
            yield from _scores(verdict, axes, today, raters)


def raters_of(judges: Sequence[Judge]) -> dict[int, Rater]:
    """judge -> rater, named after its model if no other judge has that name.

    A judge that is not fenced always has its full name, so that every list or export of its ratings shows it.
    """
    names = Counter(judge.name for judge in judges)
    in_full = {judge.pk for judge in judges if judge.not_fenced or names[judge.name] > 1}
    return {judge.pk: Rater("judge", str(judge) if judge.pk in in_full else judge.name, judge.pk) for judge in judges}


def _newest(verdicts: Iterable[_RatedVerdict], today: Today, counted: Counter[str]) -> list[_RatedVerdict]:
    newest: dict[tuple[int, int, int | None, bool, int], _RatedVerdict] = {}
    for verdict in verdicts:
        if verdict.item not in today.seen:
            counted[UNDECIDED] += 1
        elif (
            verdict.sha != today.seen[verdict.item]
            or not {verdict.first, verdict.second} - {None} <= today.answers.keys()
        ):
            counted[OUTDATED] += 1
        else:
            if verdict.place in newest:
                counted[SUPERSEDED] += 1
            newest[verdict.place] = verdict
    return list(newest.values())


def _verdicts(project: Project, rating_kind: str) -> Iterator[_RatedVerdict]:
    about: VerdictQuerySet = Verdict.objects.pairwise() if rating_kind == PREFERENCE else Verdict.objects.single()
    columns = ("pk", "judge_id", "item_id", "first_id", "second_id", "swapped", "repeat", "score_first")
    few_texts = ("case_sha", "reading", "choice")  # the same ones in a million verdicts
    rows = about.filter(judge__project=project).order_by("judge_id", "pk")
    for row in followed(rows.values_list(*columns, *few_texts).iterator(AT_ONCE)):
        yield _RatedVerdict(*row[: len(columns)], *map(intern, row[len(columns) :]))


def _parts_by_judge(project: Project) -> Iterator[tuple[int, dict[int, dict[str, float | None]]]]:
    """(judge, its verdicts -> score by axis, without parts that fit no question), by ascending judge.

    Those of one judge at a time, because there may be millions. One query.
    """
    single = Part.objects.filter(verdict__judge__project=project, verdict__second=None)
    ordered = single.exclude(joined=Part.Joined.SURPLUS).order_by("verdict__judge_id", "verdict_id", "pk")
    rows = ordered.values_list("verdict__judge_id", "verdict_id", "axis", "score_first").iterator(AT_ONCE)
    for judge, judge_rows in groupby(rows, key=itemgetter(0)):
        scores_by_verdict: dict[int, dict[str, float | None]] = defaultdict(dict)
        for _judge, verdict, axis, score in judge_rows:
            scores_by_verdict[verdict][intern(axis)] = score
        yield judge, scores_by_verdict


def _is_checklist(axes: Axes, questions: int) -> bool:
    """Whether the judge went through the questions of the item."""
    return bool(axes) and axes.keys() <= {str(number) for number in range(1, questions + 1)}


def _preference(verdict: _RatedVerdict, today: Today, raters: Mapping[int, Rater]) -> Rating:
    assert verdict.second is not None
    value = AS_RATED[verdict.choice] if verdict.was_read and verdict.choice else None
    if verdict.first > verdict.second and value is not None:
        value = OTHER_WAY_ROUND.get(value, value)
    return _rating(verdict, today.shared(PairUnit.of(verdict.first, verdict.second)), value, raters)


def _questions(
    verdict: _RatedVerdict, axes: Axes, questions: int, today: Today, raters: Mapping[int, Rater]
) -> Iterator[Rating]:
    for axis in map(str, range(1, questions + 1)):
        score = axes.get(axis) if verdict.was_read else None
        value = None if score is None else MET if score > 0 else NOT_MET
        yield _rating(verdict, today.shared(AnswerUnit(verdict.first, axis)), value, raters)


def _scores(verdict: _RatedVerdict, axes: Axes, today: Today, raters: Mapping[int, Rater]) -> Iterator[Rating]:
    """The score of the whole answer, and one of each criterion."""
    if verdict.score is not None or not verdict.was_read:
        yield _rating(verdict, today.shared(AnswerUnit(verdict.first)), verdict.score, raters)
    for axis, score in axes.items():
        yield _rating(verdict, today.shared(AnswerUnit(verdict.first, axis)), score, raters)


def _rating(verdict: _RatedVerdict, unit: Unit, value: float | str | None, raters: Mapping[int, Rater]) -> Rating:
    return Rating(
        unit,
        raters[verdict.judge],
        value,
        item=verdict.item,
        axis=unit.axis,
        swapped=verdict.swapped,
        repeat=verdict.repeat,
        source=verdict.pk,
    )
