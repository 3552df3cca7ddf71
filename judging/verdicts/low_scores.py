"""Answers with low scores by a criterion, and the judgements that say so: the input of correction runs."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef

from annotate.errors import Refused
from annotate.models import Project
from judging.answers.cases import cases, judgeable
from judging.models import Answer, Judge, Part, Verdict
from judging.strategies.strategy import strategies

FINE, UNKNOWN, UNREAD = "fine", "unknown", "unread"


@dataclass(frozen=True)
class ScoreThreshold:
    """The threshold below which a score calls for a correction. inclusive: also a score equal to it."""

    threshold: float
    inclusive: bool = False

    def is_low(self, score: float | None) -> bool:
        return score is not None and (score < self.threshold or (self.inclusive and score == self.threshold))


@dataclass(frozen=True)
class Wanting:
    """One answer with a criterion that is low. side: of the verdict, `first` or `second`."""

    answer: int
    item: int
    verdict: int
    side: str

    @property
    def subject(self) -> str:
        """The subject of its job."""
        return f"answer/{self.answer}/{self.verdict}/{self.side}"

    @classmethod
    def named(cls, subject: str, item: int) -> "Wanting":
        _word, answer, verdict, side = subject.split("/")
        return cls(int(answer), item, int(verdict), side)


@dataclass(frozen=True)
class LowAnswers:
    """answers: those with a low score, by item. left_out: reason -> answers that get no correction."""

    answers: Sequence[Wanting]
    left_out: Mapping[str, int] = field(default_factory=dict)


def branch_slugs() -> list[str]:
    """The strategies that judge by criteria of the query."""
    return [slug for slug, strategy in strategies().items() if strategy.judges_by_criteria]


def branch_judges(project: Project) -> list[Judge]:
    """Judges that went through criteria and have verdicts, by name. One query."""
    has_verdict = Exists(Verdict.objects.filter(judge=OuterRef("pk")))
    return list(
        Judge.objects.filter(has_verdict, project=project, strategy__in=branch_slugs()).order_by(
            "name", "strategy", "pk"
        )
    )


def judge_called(project: Project, name: str) -> Judge:
    """The judge by full or model name; without a name the only one. Raises Refused, which lists the judges."""
    judges = branch_judges(project)
    matches = [judge for judge in judges if name in ("", str(judge))] or [
        judge for judge in judges if judge.name == name
    ]
    if len(matches) == 1:
        return matches[0]
    if not judges:
        raise Refused("No judge has gone through criteria here: run a judge with a strategy of branches first.")
    judge_names = ", ".join(f"“{judge}”" for judge in judges)
    raise Refused(
        f"{'Say which judge' if not name or matches else f'No judge is called “{name}”'}. Judges: {judge_names}."
    )


def wanting(project: Project, judge: Judge, line: ScoreThreshold, *, authors: Collection[str] = ()) -> LowAnswers:
    """Current answers of current items that this judge has judged. authors: theirs; by default all but authors of
    corrections.

    For a pair its first order counts, and of several pairs the one judged first, so that an answer is corrected from
    one judgement. Four queries.
    """
    verdict_by_answer = _newest_low_verdicts(judge, _current_answers(project))
    low = _low(judge, line)
    low_answers, count_by_reason = [], Counter[str]()
    answers = Answer.objects.current().filter(author__project=project, item__in=judgeable(project).values("pk"))
    answers = answers.filter(author__name__in=authors) if authors else answers.filter(author__corrects=None)
    in_order = answers.order_by("item_id", "author__name", "sample")
    for pk, item, is_known in in_order.values_list("pk", "item_id", "known").iterator(2000):
        if not is_known or pk not in verdict_by_answer:
            count_by_reason[UNREAD if is_known else UNKNOWN] += 1
            continue
        verdict, side = verdict_by_answer[pk]
        if (verdict, side) in low:
            low_answers.append(Wanting(pk, item, verdict, side))
        else:
            count_by_reason[FINE] += 1
    return LowAnswers(low_answers, count_by_reason)


def _current_answers(project: Project) -> dict[int, str]:
    return {case.item.pk: case.judged.sha256 for case in cases(judgeable(project))}


def _newest_low_verdicts(judge: Judge, sha_by_item: Mapping[int, str]) -> dict[int, tuple[int, str]]:
    """answer -> (verdict, side): for single answers the newest; for pairs the newest of the first pair, first order."""
    verdicts = Verdict.objects.read().filter(judge=judge, swapped=False, repeat=1).order_by("pk")
    newest: dict[tuple[int, int | None], int] = {}
    for pk, item, sha, first, second in verdicts.values_list("pk", "item_id", "case_sha", "first_id", "second_id"):
        if sha_by_item.get(item) == sha:
            newest[first, second] = pk
    verdict_by_answer: dict[int, tuple[int, str]] = {}
    for (first, second_answer), pk in newest.items():
        verdict_by_answer.setdefault(first, (pk, "first"))
        if second_answer is not None:
            verdict_by_answer.setdefault(second_answer, (pk, "second"))
    return verdict_by_answer


def _low(judge: Judge, line: ScoreThreshold) -> set[tuple[int, str]]:
    rows = Part.objects.filter(verdict__judge=judge).values_list("verdict_id", "score_first", "score_second")
    low = set()
    for verdict, *scores in rows.iterator(5000):
        low |= {(verdict, side) for side, score in zip(("first", "second"), scores, strict=True) if line.is_low(score)}
    return low


def grounds(verdicts: Collection[int]) -> dict[int, list[Part]]:
    """verdict -> its parts in the order in which the judge named the criteria. One query."""
    parts_by_verdict: dict[int, list[Part]] = defaultdict(list)
    for part in Part.objects.filter(verdict__in=verdicts):
        parts_by_verdict[part.verdict_id].append(part)
    return {pk: sorted(parts, key=lambda part: (len(part.axis), part.axis)) for pk, parts in parts_by_verdict.items()}


def in_words(parts: Sequence[Part], side: str, line: ScoreThreshold) -> str:
    """Only the low judgements, a line each, as the corrector reads them."""
    scored = [(part, getattr(part, f"score_{side}")) for part in parts]
    return "\n".join(
        f"- {part.label or part.axis}: {score:g}/5. {_reason(part)}".rstrip()
        for part, score in scored
        if line.is_low(score)
    )


def _reason(part: Part) -> str:
    return " ".join(part.reason.split())
