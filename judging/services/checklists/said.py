"""What judges said of each question of each answer: columns only, in four queries however many."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from annotate.models import Item
from judging.models import Answer, Judge, Part, Verdict
from judging.services.cases import Case, cases
from lib.stats.questions import Met

Said = Mapping[int, Mapping[tuple[int, int], Met]]  # judge -> (item, answer) -> one a question


@dataclass(frozen=True)
class Judged:
    """cases: item -> it as it is today. answers: item -> its current answers, in the order of their ids."""

    cases: Mapping[int, Case]
    answers: Mapping[int, Sequence[int]]
    said: Said

    def of(self, judge: int, item: int, index: int) -> list[bool | None]:
        """What a judge said of one question (place from 0), an entry for each answer that this judge has judged."""
        met_by_answer = self.said.get(judge, {})
        return [met_by_answer[item, answer][index] for answer in self.answers[item] if (item, answer) in met_by_answer]

    def beside(self, judges: Collection[int], item: int, index: int) -> list[list[bool | None]]:
        """The same for several judges, with an entry for every answer; None where one has not judged it."""
        empty: Met = [None] * (index + 1)
        return [
            [self.said.get(judge, {}).get((item, answer), empty)[index] for answer in self.answers[item]]
            for judge in judges
        ]


def read(items: Sequence[int], judges: Collection[Judge]) -> Judged:
    """Verdicts about the items and answers of today; older ones say nothing about these questions.

    Of an answer that was judged several times, a question is met where more than half of the readings say so, and
    undecided where as many say one thing as the other.
    """
    item_rows = Item.objects.filter(pk__in=items).order_by("pk")
    return _read({case.item.pk: case for case in cases(item_rows)}, judges)


def read_all(project: int, judges: Collection[Judge]) -> Judged:
    judged = Verdict.objects.single().filter(judge__in=judges).values("item")
    judged_items = Item.objects.filter(
        project=project, state=Item.State.ACCEPTED, purpose=Item.Purpose.WORK, pk__in=judged
    )
    return _read({case.item.pk: case for case in cases(judged_items.order_by("pk"))}, judges, whole=True)


def _read(case_by_item: Mapping[int, Case], judges: Collection[Judge], *, whole: bool = False) -> Judged:
    only = {} if whole else {"item__in": list(case_by_item)}
    current = Answer.objects.current().filter(
        author__project__in={case.item.project_id for case in case_by_item.values()}
    )
    answers: dict[int, list[int]] = defaultdict(list)
    for pk, item in current.filter(**only).order_by("pk").values_list("pk", "item").iterator(chunk_size=5000):
        answers[item].append(pk)
    newest = _newest(case_by_item, {pk for answer_pks in answers.values() for pk in answer_pks}, judges, only)
    return Judged(
        case_by_item,
        answers,
        _said(case_by_item, newest, judges, {} if whole else {"verdict__item__in": list(case_by_item)}),
    )


def _newest(
    case_by_item: Mapping[int, Case], answers: Collection[int], judges: Collection[Judge], only: Mapping[str, object]
) -> dict[int, tuple[int, int, int]]:
    """verdict -> (judge, item, answer), of the newest readable verdict of each repeat."""
    shas = {item: case.judged.sha256 for item, case in case_by_item.items()}
    columns = ("pk", "judge", "item", "first", "repeat", "case_sha", "reading")
    rows = Verdict.objects.single().filter(judge__in=judges, **only).order_by("pk").values_list(*columns)
    newest: dict[tuple[int, int, int], tuple[int, int, str]] = {}
    for pk, judge, item, answer, repeat, sha, reading in rows.iterator(chunk_size=5000):
        if answer in answers and shas.get(item) == sha:
            newest[judge, answer, repeat] = (pk, item, reading)
    return {
        pk: (judge, item, answer)
        for (judge, answer, _repeat), (pk, item, reading) in newest.items()
        if reading == Verdict.Reading.OK
    }


def _said(
    case_by_item: Mapping[int, Case],
    newest: Mapping[int, tuple[int, int, int]],
    judges: Collection[Judge],
    only: Mapping[str, object],
) -> Said:
    votes: dict[tuple[int, int, int], list[list[float]]] = {}
    for judge, item, answer in newest.values():
        votes[judge, item, answer] = [[] for _question in case_by_item[item].judged.checklist]
    parts = Part.objects.filter(verdict__judge__in=judges, verdict__second=None, score_first__isnull=False, **only)
    for verdict, axis, score in parts.values_list("verdict", "axis", "score_first").iterator(chunk_size=5000):
        if score is not None and verdict in newest and axis.isascii() and axis.isdecimal():
            questions = votes[newest[verdict]]
            if 0 < int(axis) <= len(questions):
                questions[int(axis) - 1].append(score)
    met_by_judge: dict[int, dict[tuple[int, int], Met]] = defaultdict(dict)
    for (judge, item, answer), questions in votes.items():
        if any(questions):  # a strategy that asks no questions has said nothing about them
            met_by_judge[judge][item, answer] = [_most(scores) for scores in questions]
    return met_by_judge


def _most(votes: Sequence[float]) -> bool | None:
    met = sum(vote > 0 for vote in votes)
    return None if 2 * met == len(votes) else 2 * met > len(votes)
