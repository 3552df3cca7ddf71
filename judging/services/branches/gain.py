"""What corrections gained: a judge's score of an answer and of its correction, on the same items."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from annotate.models import Project
from judging.models import Answer, Author, Judge
from judging.services.ratings import SCORE, Found, Rating, ratings
from lib.stats.averages import Floats
from lib.stats.figures import Figure, drawn_figure, drawn_means, mean_figure, undefined
from lib.stats.notes import NO_UNITS

NOT_JUDGED, BEFORE_ALONE, UNREAD, GONE = "correction not judged", "answer not judged", "not readable", "no answer"


@dataclass(frozen=True)
class Both:
    """One item with the judge's scores before and after. answers, verdicts: (of the answer, of its correction)."""

    item: int
    sample: int
    answers: tuple[int, int]
    before: float
    after: float
    verdicts: tuple[int, int]

    @property
    def gain(self) -> float:
        return self.after - self.before


@dataclass(frozen=True)
class Row:
    """One author as one judge sees it. gain: mean difference with its paired bootstrap interval over items."""

    judge: Judge
    author: str
    corrected: str
    pairs: Sequence[Both]
    before: Figure
    after: Figure
    gain: Figure
    left_out: Mapping[str, int]

    def count(self, sign: int) -> int:
        """Items that became better (1), stayed (0), became worse (-1)."""
        return sum(int(np.sign(both.gain)) == sign for both in self.pairs)

    @property
    def better(self) -> int:
        return self.count(1)

    @property
    def same(self) -> int:
        return self.count(0)

    @property
    def worse(self) -> int:
        return self.count(-1)


@dataclass(frozen=True)
class Gain:
    """rows: by judge, then author. corrections: those that there are. left_out: of verdicts that are no rating."""

    rows: Sequence[Row]
    corrections: int
    left_out: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def gain(project: Project, *, given: Found | None = None) -> Gain:
    """Of every judge that scored single answers and every author whose answers somebody has corrected.

    given: the project's scores where somebody has them at hand. Scores stay on the judge's own scale.
    """
    pairs = _corrected(project)
    if not pairs:
        return Gain([], 0)
    scores = ratings(project, SCORE) if given is None else given
    said = _by_judge(scores)
    judges = {judge.pk: judge for judge in Judge.objects.filter(pk__in=said).order_by("name", "strategy", "pk")}
    rows = [
        row
        for pk, judge in judges.items()
        for (author, corrected), there in sorted(pairs.items())
        if (row := _row(judge, author, corrected, there, said[pk])) is not None
    ]
    return Gain(rows, sum(map(len, pairs.values())), scores.left_out)


Place = tuple[int, int]  # item, sample
Corrected = dict[Place, tuple[int | None, int]]  # (the answer, None where it is not known; its correction)


def _corrected(project: Project) -> dict[tuple[str, str], Corrected]:
    """(author, corrector) -> the answers of today that have a correction. Two queries."""
    authors = list(Author.objects.filter(project=project, corrects__isnull=False).select_related("corrects"))
    if not authors:
        return {}
    wanted = {author.pk for author in authors} | {author.corrects_id for author in authors}
    rows = Answer.objects.current().filter(author__in=wanted, known=True)
    columns = rows.values_list("author_id", "item_id", "sample", "pk")
    there = {(author, item, sample): pk for author, item, sample, pk in columns}
    found: dict[tuple[str, str], Corrected] = {}
    for author in authors:
        assert author.corrects is not None
        places = {(item, sample): pk for (who, item, sample), pk in there.items() if who == author.pk}
        if places:
            found[author.corrects.name, author.name] = {
                place: (there.get((author.corrects.pk, *place)), pk) for place, pk in places.items()
            }
    return found


Said = Mapping[int, Sequence[Rating]]  # answer -> what the judge said of it as a whole


def _by_judge(scores: Found) -> dict[int, Said]:
    found: dict[int, dict[int, list[Rating]]] = defaultdict(lambda: defaultdict(list))
    for one in scores:
        if one.rater.sort == "judge" and one.rater.pk and not one.axis:
            found[one.rater.pk][int(one.unit.removeprefix("answer/"))].append(one)
    return {pk: dict(said) for pk, said in found.items()}


def _row(judge: Judge, author: str, corrected: str, there: Corrected, said: Said) -> Row | None:
    """None where the judge has read no correction of this author's answers."""
    if not any(after in said for _before, after in there.values()):
        return None
    pairs, left_out = [], Counter[str]()
    for (item, sample), (before, after) in sorted(there.items()):
        why = _why_not(before, after, said)
        if why:
            left_out[why] += 1
            continue
        assert before is not None
        one, other = said[before], said[after]
        sources = (one[-1].source, other[-1].source)
        pairs.append(Both(item, sample, (before, after), _mean(one), _mean(other), sources))
    values = np.array([[both.before, both.after] for both in pairs], dtype=float).reshape(-1, 2)
    return Row(
        judge,
        author,
        corrected,
        pairs,
        mean_figure(values[:, 0]),
        mean_figure(values[:, 1]),
        _difference(values[:, 1] - values[:, 0]),
        dict(left_out),
    )


def _why_not(before: int | None, after: int, said: Said) -> str:
    if before is None:
        return GONE
    if after not in said:
        return NOT_JUDGED
    if before not in said:
        return BEFORE_ALONE
    return "" if _read(said[before]) and _read(said[after]) else UNREAD


def _read(said: Sequence[Rating]) -> list[float]:
    return [float(one.value) for one in said if one.value is not None]


def _mean(said: Sequence[Rating]) -> float:
    """Over repeats."""
    return fmean(_read(said))


def _difference(values: Floats) -> Figure:
    if not values.size:
        return undefined(NO_UNITS)
    return drawn_figure(float(values.mean()), int(values.size), drawn_means([values])[0])
