"""Precision and recall of judges that mark spans: against each person, and against what was decided in the end."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotate.kinds.questions.types.spans import Spans
from annotate.kinds.values import BadShape
from annotate.models import Item, Project
from judging.boards.agreement.span_agreement import JUDGE, span_table
from judging.boards.report import table as text_table
from judging.cache import cached
from judging.ratings.tables import answers_to_questions
from judging.ratings.units import Today
from lib.stats.agreement.sets_and_ranks import ClusteredValue
from lib.stats.agreement.span_retrieval import Retrieval, retrieval

PEOPLE, RESOLVED = "people", "resolved"
FIGURES = ("precision", "recall", "f1")
References = Mapping[int, Mapping[str, Any]]  # item -> whose answer it is -> spans


@dataclass(frozen=True)
class JudgedSpans:
    """reference: `people`, each person's answer, or `resolved`, the accepted answer of an item. by: `spans` or
    `characters`. n: pairs of answers; items: how many of them have one."""

    judge: str
    reference: str
    by: str
    figures: Retrieval
    n: int
    items: int

    def as_json(self) -> dict[str, Any]:
        row = {"judge": self.judge, "reference": self.reference, "by": self.by, "n": self.n, "items": self.items}
        return row | {name: _figure(getattr(self.figures, name)) for name in FIGURES}


def _figure(value: ClusteredValue) -> dict[str, Any]:
    cells = {"value": value.value, "low": value.low, "high": value.high}
    return cells | ({"note": value.note} if value.note else {})


def judged_spans(today: Today, question: Spans) -> list[JudgedSpans]:
    """Of every judge, where it has answered what the reference has. Cached until an answer or a verdict changes."""
    ratings, state = answers_to_questions(today)

    def computed() -> list[JudgedSpans]:
        references = {
            PEOPLE: ratings.by_question.get(question.name, {}),
            RESOLVED: _resolved(today.project, question) if ratings.judged else {},
        }
        judged, clusters = ratings.judged.get(question.name, {}), ratings.clusters
        judges = dict.fromkeys(judge for by_judge in judged.values() for judge in by_judge)
        return [
            row
            for judge in judges
            for name, answers in references.items()
            for row in _of_judge(judge, name, answers, judged, clusters)
        ]

    return cached("judged-spans", f"{state}:{question.name}", computed)


def _of_judge(
    judge: str, reference: str, answers: References, judged: References, clusters: Mapping[int, str]
) -> Iterator[JudgedSpans]:
    pairs = {
        (item, rater): {rater: spans, JUDGE: judged[item][judge]}
        for item, by_rater in answers.items()
        if judge in judged.get(item, {})
        for rater, spans in by_rater.items()
    }
    if not pairs:
        return
    table, _values = span_table(pairs, {pair: clusters.get(pair[0], f"item {pair[0]}") for pair in pairs})
    items = len({item for item, _rater in pairs})
    for by, figures in zip(("spans", "characters"), retrieval(table), strict=True):
        yield JudgedSpans(judge, reference, by, figures, len(pairs), items)


def _resolved(project: Project, question: Spans) -> dict[int, dict[str, Any]]:
    """item -> the answer that people have accepted; one that cannot be read under the newest definition is left out."""
    kind, resolved = project.kind, dict[int, dict[str, Any]]()
    accepted = Item.objects.filter(project=project, state=Item.State.ACCEPTED, purpose=Item.Purpose.WORK)
    accepted = accepted.filter(base__author__isnull=False, base__submitted_at__isnull=False)
    for item, draft, schema in accepted.values_list("pk", "base__draft", "base__schema").iterator(2000):
        try:
            answer = kind.counted(kind.read_draft(kind.upgrade(draft, schema)).stored()).get(question.name)
        except BadShape:
            continue
        if (spans := question.measured(answer)) is not None:
            resolved[item] = {RESOLVED: spans}
    return resolved


def retrieval_lines(name: str, rows: list[JudgedSpans]) -> list[str]:
    """For a terminal; none where no judge has marked spans."""
    header = ["question", "judge", "reference", "by", *(f"{figure}, from, to" for figure in FIGURES), "n"]
    cells = [
        [name, row.judge, row.reference, row.by, *(_text(getattr(row.figures, of)) for of in FIGURES), str(row.n)]
        for row in rows
    ]
    return ["", text_table(header, cells, left=4)] if cells else []


def _text(value: ClusteredValue) -> str:
    return " ".join("–" if number is None else f"{number:.3f}" for number in (value.value, value.low, value.high))
