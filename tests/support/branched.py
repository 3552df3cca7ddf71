"""Accepted branching items with their two answers, and judges' verdicts on them criterion by criterion, as rows."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from annotate.models import Annotation, Item, Project
from judging.answers.cases import case_of
from judging.answers.store import ensure
from judging.models import Answer, Author, Judge, Part, Verdict
from judging.strategies.branches.criterion_scores import merged
from judging.strategies.strategy import OpinionPart
from tests.support.judge_rows import make_judge
from tests.support.people import make_project
from tests.support.trees import branch, tree

_numbers = count(1)
NAMES = ("Clarity", "Correctness", "Focus", "Evidence", "Order", "Care", "Reach", "Economy", "Depth", "Tone")


def branching_project(**columns: Any) -> Project:
    return make_project(**{"kind_slug": "branching"} | columns)


def decided_pair(project: Project, label: str | None = "second", *, group: str = "Advice", **facts: Any) -> Item:
    """Accepted, with answers of model-a and model-b, which are made answers by `answers_there`."""
    key = f"pair-{next(_numbers)}"
    given = {
        "query": f"What about {key}?",
        "first": f"The first of {key}.",
        "second": f"The second of {key}.",
        "human_label": label,
        "author_first": "model-a",
        "author_second": "model-b",
        "scenario": group,
    } | facts
    item = Item.objects.create(
        project=project, key=key, title=key, facts=given, content_hash=key, state="accepted", group=group, language="en"
    )
    item.base = Annotation.objects.create(item=item, model="drafter", draft=tree(branch(1, 2, 5), branch(2, 3, 4)))
    item.save(update_fields=["base"])
    return item


def answers_there(project: Project) -> None:
    ensure(project)


def answer_by(item: Item, author: str) -> Answer:
    return Answer.objects.current().get(item=item, author__name=author)


def pair_judge(project: Project, name: str = "judge-m", n: int = 3, labels: str = "") -> Judge:
    variant = " ".join(filter(None, [f"n={n}", labels, f"scale={n}-{5 * n}"]))
    return make_judge(project, name, "branching", variant)


def single_judge(project: Project, name: str = "judge-m", n: int = 3) -> Judge:
    variant = f"n={n} scale={n}-{5 * n}"
    return make_judge(project, name, "branching-single", variant)


def compared(
    item: Item, judge: Judge, scores: Sequence[tuple[float, float]], *, swapped: bool = False, names: Sequence[str] = ()
) -> Verdict:
    """On model-a and model-b; scores: (a's, b's) criterion by criterion. () could not be read."""
    return _said(item, judge, answer_by(item, "model-a"), answer_by(item, "model-b"), scores, swapped, names or NAMES)


def in_both_orders(item: Item, judge: Judge, *each: Sequence[tuple[float, float]], names: Sequence[str] = ()) -> None:
    """each: the scores of the first order, then of the other one."""
    for swapped, scores in enumerate(each):
        compared(item, judge, scores, swapped=bool(swapped), names=names)


def alone(answer: Answer, judge: Judge, scores: Sequence[float]) -> Verdict:
    return _said(answer.item, judge, answer, None, [(score, None) for score in scores], False, NAMES)


def compared_and_corrected(project: Project, *labels: str) -> list[Item]:
    """The pair judge says second of all; the single judge sees a correction of model-a three points better."""
    items = []
    for label in labels or ("second", "tie", "first"):
        item = decided_pair(project, label)
        answers_there(project)
        in_both_orders(item, pair_judge(project), [(1, 2), (2, 4)], [(3, 3), (2, 4)])
        whose = Author.objects.get(project=project, name="model-a")
        who, _made = Author.objects.get_or_create(project=project, name="model-a+correction", corrects=whose)
        better = Answer.objects.create(item=item, author=who, text=f"{item.facts['first']} And it says why.")
        for answer, score in ((answer_by(item, "model-a"), 1), (answer_by(item, "model-b"), 3), (better, 4)):
            alone(answer, single_judge(project), [score])
        items.append(item)
    return items


def _said(
    item: Item, judge: Judge, first: Answer, second: Answer | None, scores: Any, swapped: bool, names: Sequence[str]
) -> Verdict:
    case = case_of(item)
    assert case is not None
    pieces = [OpinionPart(str(at), names[at - 1], one, other) for at, (one, other) in enumerate(scores, start=1)]
    whole = merged(pieces)
    verdict = Verdict.objects.create(
        judge=judge,
        item=item,
        first=first,
        second=second,
        swapped=swapped,
        case_sha=case.judged.sha256,
        score_first=whole.first,
        score_second=whole.second,
        choice=whole.choice,
        reading="ok" if pieces else "unparsed",
    )
    for piece in pieces:
        Part.objects.create(
            verdict=verdict,
            axis=piece.axis,
            label=piece.label,
            score_first=piece.score_first,
            score_second=piece.score_second,
            reason=f"About {piece.label}.",
        )
    return verdict
