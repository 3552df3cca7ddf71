"""What judges said, as ratings: the newest verdicts about texts of today, in a few queries however many there are."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotate.models import Project
from judging.models import Judge, Part, Verdict, VerdictQuerySet
from judging.services.ratings.base import CHECKLIST, PREFERENCE, SCORE, Rater, Rating
from judging.services.ratings.today import Today
from judging.strategies.branches.numbering import numbers_its_own

OUTDATED, UNDECIDED, SUPERSEDED = "outdated", "undecided", "superseded"
AS_RATED = {"first": "first", "second": "second", "tie": "tie", "both_good": "tie", "both_bad": "both_bad"}
OTHER_WAY_ROUND = {"first": "second", "second": "first"}
AT_ONCE = 5000
Axes = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class _Said:
    """One verdict as columns."""

    pk: int
    judge: int
    item: int
    first: int
    second: int | None
    swapped: bool
    repeat: int
    sha: str
    reading: str
    score: float | None
    choice: str

    @property
    def place(self) -> tuple[int, int, int | None, bool, int]:
        return self.judge, self.first, self.second, self.swapped, self.repeat

    @property
    def was_read(self) -> bool:
        return self.reading == Verdict.Reading.OK.value


def of_judges(
    project: Project, what: str, *, left_out: Counter[str] | None = None, today: Today | None = None
) -> Iterator[Rating]:
    """Ratings of all judges of the project, by judge and verdict. today: of this project, where it is at hand.

    left_out: gets reason -> verdicts that are no rating: `outdated` (another text or item since), `undecided` (an item
    that nobody has accepted), `superseded` (the same judge was asked the same again later).
    What could not be read is a rating without a value.
    """
    counted = left_out if left_out is not None else Counter()
    today = today or Today(project)
    raters = raters_of(today.judges)
    if not raters:
        return
    said = _newest(project, what, today, counted)
    if what == PREFERENCE:
        yield from (_preference(one, raters) for one in said)
        return
    parts = _parts(project)
    own = {judge.pk for judge in today.judges if numbers_its_own(judge.strategy)}
    asked = {
        one.judge
        for one in said
        if one.judge not in own and _is_checklist(parts.get(one.pk, {}), today.questions(one.item))
    }
    for one in said:
        axes, questions = parts.get(one.pk, {}), 0 if one.judge in own else today.questions(one.item)
        by_question = _is_checklist(axes, questions) or (not one.was_read and one.judge in asked)
        if what == CHECKLIST and by_question:
            yield from _questions(one, axes, questions, raters)
        elif what == SCORE and not by_question:
            yield from _scores(one, axes, raters)


def raters_of(judges: Sequence[Judge]) -> dict[int, Rater]:
    """judge -> rater, called by the name of its model where no other judge is called so.

    One that is not fenced is always called in full, so that whatever lists or exports its ratings says so.
    """
    names = Counter(judge.name for judge in judges)
    in_full = {judge.pk for judge in judges if judge.not_fenced or names[judge.name] > 1}
    return {judge.pk: Rater("judge", str(judge) if judge.pk in in_full else judge.name, judge.pk) for judge in judges}


def _newest(project: Project, what: str, today: Today, counted: Counter[str]) -> list[_Said]:
    newest: dict[tuple[int, int, int | None, bool, int], _Said] = {}
    for one in _verdicts(project, what):
        if one.item not in today.seen:
            counted[UNDECIDED] += 1
        elif one.sha != today.seen[one.item] or not {one.first, one.second} - {None} <= today.answers.keys():
            counted[OUTDATED] += 1
        else:
            if one.place in newest:
                counted[SUPERSEDED] += 1
            newest[one.place] = one
    return list(newest.values())


def _verdicts(project: Project, what: str) -> Iterator[_Said]:
    about: VerdictQuerySet = Verdict.objects.pairwise() if what == PREFERENCE else Verdict.objects.single()
    columns = ("pk", "judge_id", "item_id", "first_id", "second_id", "swapped", "repeat", "case_sha", "reading")
    rows = about.filter(judge__project=project).order_by("judge_id", "pk")
    for row in rows.values_list(*columns, "score_first", "choice").iterator(AT_ONCE):
        yield _Said(*row)


def _parts(project: Project) -> dict[int, dict[str, float | None]]:
    """verdict -> what was said of each axis; what fits no question is not among them."""
    found: dict[int, dict[str, float | None]] = defaultdict(dict)
    single = Part.objects.filter(verdict__judge__project=project, verdict__second=None)
    rows = single.exclude(joined=Part.Joined.SURPLUS).values_list("verdict_id", "axis", "score_first")
    for verdict, axis, score in rows.iterator(AT_ONCE):
        found[verdict][axis] = score
    return found


def _is_checklist(axes: Axes, questions: int) -> bool:
    """Whether the judge went through the questions of the item."""
    return bool(axes) and axes.keys() <= {str(place) for place in range(1, questions + 1)}


def _preference(one: _Said, raters: Mapping[int, Rater]) -> Rating:
    assert one.second is not None
    value = AS_RATED[one.choice] if one.was_read and one.choice else None
    if one.first > one.second and value is not None:
        value = OTHER_WAY_ROUND.get(value, value)
    unit = f"pair/{min(one.first, one.second)}/{max(one.first, one.second)}"
    return _rating(one, unit, value, raters)


def _questions(one: _Said, axes: Axes, questions: int, raters: Mapping[int, Rater]) -> Iterator[Rating]:
    for axis in map(str, range(1, questions + 1)):
        score = axes.get(axis) if one.was_read else None
        value = None if score is None else float(score > 0)
        yield _rating(one, f"answer/{one.first}/{axis}", value, raters, axis=axis)


def _scores(one: _Said, axes: Axes, raters: Mapping[int, Rater]) -> Iterator[Rating]:
    """The score of the whole answer, and one of each criterion."""
    if one.score is not None or not one.was_read:
        yield _rating(one, f"answer/{one.first}", one.score, raters)
    for axis, score in axes.items():
        yield _rating(one, f"answer/{one.first}/{axis}", score, raters, axis=axis)


def _rating(one: _Said, unit: str, value: float | str | None, raters: Mapping[int, Rater], *, axis: str = "") -> Rating:
    return Rating(
        unit,
        raters[one.judge],
        value,
        item=one.item,
        axis=axis,
        swapped=one.swapped,
        repeat=one.repeat,
        source=one.pk,
    )
