"""Answers to the questions of a project, by rater and item: of its people, and of the raters of files."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q, QuerySet

from annotate.intake.store import RATER
from annotate.kinds.values import BadShape
from annotate.models import Annotation, Item, Project, Slot

COLUMNS = ("item_id", "author_id", "author__username", "rater", "draft", "schema")


@dataclass(frozen=True)
class QuestionRatings:
    """by_question: name -> item -> rater -> answer as it is compared, or score; what cannot be compared is left out.

    clusters: item -> what is resampled with it; empty where items stand alone. left_out: reason -> texts that do not
    count.
    """

    by_question: Mapping[str, Mapping[int, Mapping[str, Any]]]
    clusters: Mapping[int, str]
    left_out: Mapping[str, int]
    raters: frozenset[str] = field(default_factory=frozenset)


def question_ratings(project: Project) -> QuestionRatings:
    """All answers to all questions; of several texts of a rater about an item the last. Two queries."""
    kind, left_out = project.kind, Counter[str]()
    answers: dict[str, dict[int, dict[str, Any]]] = defaultdict(lambda: defaultdict(dict))
    raters: set[str] = set()
    for item, rater, stored, schema in _texts(project):
        try:
            given = kind.counted(kind.read_draft(kind.upgrade(stored, schema)).stored())
        except BadShape:
            left_out["unreadable"] += 1
            continue
        raters.add(rater)
        for name, question in kind.questions().items():
            value = question.measured(given.get(name))
            if value is not None:
                answers[name][item][rater] = value
        for name, score in kind.scores().items():
            if (points := score.of(given)) is not None:
                answers[name][item][rater] = points
    return QuestionRatings(answers, _clusters(project), dict(left_out), frozenset(raters))


def _texts(project: Project) -> Iterator[tuple[int, str, dict[str, Any], int]]:
    """(item, rater, draft, schema); a rater of a file who has the name of an account is called apart."""
    rows = list(_submitted(project).values_list(*COLUMNS).order_by("pk"))
    accounts = {username for _item, author, username, *_rest in rows if author is not None}
    for item, author, username, rater, draft, schema in rows:
        file_rater = f"{rater} (file)" if rater in accounts else rater
        yield item, username if author is not None else file_rater, draft, schema


def _submitted(project: Project) -> QuerySet[Annotation]:
    by_people = Q(author__isnull=False, slot__stage=Slot.Stage.ANNOTATE, submitted_at__isnull=False)
    by_file = Q(author=None, slot=None) & ~Q(rater__in=["", RATER])
    return Annotation.objects.filter(by_people | by_file, item__project=project, item__purpose=Item.Purpose.WORK)


def _clusters(project: Project) -> dict[int, str]:
    if not project.kind.unit_column:
        return {}
    rows = Item.objects.filter(project=project).values_list("pk", "facts", "metadata")
    units = ((pk, project.kind.unit_of(facts, metadata)) for pk, facts, metadata in rows.iterator(2000))
    return {pk: unit for pk, unit in units if unit is not None}
