"""Items as candidates and judges get them: facts and final draft, read by the kind."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from django.db.models import QuerySet

from annotate.kinds.judged import Asked, Judged
from annotate.kinds.values import BadShape
from annotate.models import Item, Project


@dataclass(frozen=True)
class Case:
    """One item with its final draft read. language: of its prompts, `en` or `zh`.

    answers: author -> (sort, text) of those that the item itself holds.
    """

    item: Item
    asked: Asked
    judged: Judged
    language: str
    answers: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def judgeable(project: Project) -> QuerySet[Item]:
    """Items whose final draft is decided: only they are answered and judged."""
    accepted = Item.objects.filter(project=project, state=Item.State.ACCEPTED, purpose=Item.Purpose.WORK)
    return accepted.filter(base__isnull=False)


def cases(items: QuerySet[Item]) -> Iterator[Case]:
    """In the order of the items, streamed; an item whose texts do not read any more is left out.

    Two queries however many: select_related("base", "project").
    """
    for item in items.select_related("base", "project").iterator(chunk_size=1000):
        found = case_of(item)
        if found is not None:
            yield found


def case_of(item: Item) -> Case | None:
    """item: with base and project at hand. None where facts or draft do not read, or nothing is decided yet."""
    kind, options = item.project.kind, item.project.kind_options
    if item.base is None or not kind.judges_answers:
        return None
    try:
        facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
        draft = kind.read_draft(kind.upgrade(item.base.draft, item.base.schema))
    except BadShape:
        return None
    language = item.language.split("-")[0] or "en"
    asked, judged = kind.asked(facts, draft, options), kind.judged(facts, draft, options)
    return Case(item, asked, judged, language, kind.answers(facts, draft))
