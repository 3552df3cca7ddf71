"""What items say themselves that people prefer: one rater, where nobody has voted on the pair here."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from annotate.kinds.judged import Preferred
from annotate.kinds.values import BadShape
from annotate.models import Project
from judging.models import Answer
from judging.services.cases import judgeable
from judging.services.ratings.base import PREFERENCE, Rater, Rating

LABEL = Rater("person", "label of the items")
OTHER = {"first": "second", "second": "first"}


def of_items(
    project: Project, rating_kind: str, voted: Collection[str] = (), *, left_out: Counter[str] | None = None
) -> Iterator[Rating]:
    """The labels of decided items, as ratings of their pairs of answers. Two queries, none where no item has labels.

    voted: units about which people have voted here, whose votes count instead. left_out counts labels about texts that
    have changed since (`outdated`).
    """
    if rating_kind != PREFERENCE or not project.kind.holds_labels:
        return
    left_out = Counter() if left_out is None else left_out
    labelled = _labelled(project)
    stored_answers = _answers(project, labelled)
    for item, (preferred, texts) in labelled.items():
        first, second = stored_answers.get((item, preferred.first)), stored_answers.get((item, preferred.second))
        if first is None or second is None:
            continue  # nobody has planned to judge them, so they are no answers yet
        if (first[1], second[1]) != texts:
            left_out["outdated"] += 1
            continue
        unit = f"pair/{min(first[0], second[0])}/{max(first[0], second[0])}"
        if unit not in voted:
            turned = first[0] > second[0]
            yield Rating(unit, LABEL, OTHER.get(preferred.label, preferred.label) if turned else preferred.label, item)


def _labelled(project: Project) -> dict[int, tuple[Preferred, tuple[str, str]]]:
    """item -> what people prefer, and the two texts."""
    kind, preferences = project.kind, {}
    for pk, stored, schema in judgeable(project).order_by("pk").values_list("pk", "facts", "schema").iterator(2000):
        try:
            facts = kind.read_facts(kind.upgrade(stored, schema))
        except BadShape:
            continue
        if (preferred := kind.preferred(facts)) is not None:
            texts = kind.texts(facts)
            preferences[pk] = preferred, (texts["first"], texts["second"])
    return preferences


def _answers(project: Project, labelled: Mapping[int, object]) -> dict[tuple[int, str], tuple[int, str]]:
    """(item, author) -> the answer of today and its text."""
    if not labelled:
        return {}
    rows = Answer.objects.current().filter(author__project=project, sample=1)
    columns = rows.values_list("item_id", "author__name", "pk", "text")
    return {(item, name): (pk, text) for item, name, pk, text in columns.iterator(2000) if item in labelled}
