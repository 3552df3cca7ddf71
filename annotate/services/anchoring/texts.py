"""The texts that say how a suggestion moves people: each beside what the model had suggested. Nothing writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, F, OuterRef, QuerySet, Subquery, TextChoices, When
from django.utils.translation import gettext_lazy as _

from annotate.kinds.agreeing import agree_in
from annotate.kinds.base import Kind
from annotate.kinds.values import Field
from annotate.models import Annotation, Item, Project, Slot
from annotate.services.readiness.places import FIRST
from annotate.services.suggesting import candidate

READ_AT_MOST = 2000
SHOWN, BLIND = ARMS = "shown", "blind"
BLANK: tuple[Any, ...] = (None, "", [])


class WhyNot(TextChoices):
    LATER = "later", _("written from an earlier text, in a later round")
    HIDDEN = "hidden", _("others are still to do the same work independently")
    UNSUITABLE = "unsuitable", _("called unsuitable, so nothing was answered")
    NOTHING = "nothing", _("no model had suggested anything")
    OLDER = "older", _("older than the newest texts that are read")


@dataclass(frozen=True)
class Text:
    """What a person wrote, and what the model had suggested for each field (absent where it had nothing to say).

    arm: whether they saw it.
    """

    pk: int
    item: int
    author: int
    arm: str
    fields: Sequence[Field]
    suggested: Mapping[str, Any]
    draft: Mapping[str, Any]

    def kept(self, field: Field) -> bool:
        """The same in substance as suggested."""
        return agree_in(field, [self.suggested, self.draft])


@dataclass(frozen=True)
class Read:
    """texts: newest first. left_out: reason -> how many, of all that people handed in about work items."""

    texts: Sequence[Text]
    left_out: Mapping[str, int] = field(default_factory=dict)


def read_texts(project: Project, *, author: int | None = None, most: int | None = None, checks: bool = False) -> Read:
    """The newest first-round texts of a project, or of one person, in a fixed number of queries.

    checks: those about checks too, which come when work would: where several people write, nobody can say when.
    """
    most = READ_AT_MOST if most is None else most
    written = _written(project, author)
    first_round = written.filter(slot__round=1)
    in_the_open = first_round.in_the_open()
    if checks and project.overlap == 1:
        in_the_open = in_the_open | _checks(project, author)
    fitting = in_the_open.exclude(outcome=Annotation.Outcome.UNSUITABLE)
    counts = [query.order_by().count() for query in (written, first_round, in_the_open, fitting)]
    rows = list(_with_reference(fitting).select_related("item", "slot").order_by("-pk")[:most])
    texts = _texts(project.kind, rows)
    count_by_reason = {
        WhyNot.LATER: counts[0] - counts[1],
        WhyNot.HIDDEN: counts[1] - counts[2],
        WhyNot.UNSUITABLE: counts[2] - counts[3],
        WhyNot.OLDER: counts[3] - len(rows),
        WhyNot.NOTHING: len(rows) - len(texts),
    }
    return Read(texts, {reason.value: n for reason, n in count_by_reason.items() if n})


def _written(project: Project, author: int | None) -> Any:
    return _handed_in(project, author).filter(item__purpose=Item.Purpose.WORK)


def _checks(project: Project, author: int | None) -> Any:
    return _handed_in(project, author).filter(slot__no__gte=FIRST).exclude(item__purpose=Item.Purpose.CALIBRATION)


def _handed_in(project: Project, author: int | None) -> Any:
    texts = Annotation.objects.filter(
        slot__project=project,
        slot__stage=Slot.Stage.ANNOTATE,
        authored=True,
        submitted_at__isnull=False,
        author__isnull=False,
    )
    return texts if author is None else texts.filter(author=author)


def _with_reference(texts: QuerySet[Annotation]) -> QuerySet[Annotation]:
    """`reference`: the suggestion on screen; of whoever worked blind, the one that would have been."""
    suggestions = Annotation.objects.filter(item=OuterRef("item"), created_at__lte=OuterRef("created_at")).exclude(
        model=""
    )
    would = Subquery(suggestions.order_by("-pk").values("pk")[:1])
    return texts.annotate(reference=Case(When(slot__blind=True, then=would), default=F("suggestion")))


def _texts(kind: Kind, rows: Sequence[Any]) -> list[Text]:
    references = Annotation.objects.in_bulk({row.reference for row in rows if row.reference})
    return [_text(kind, row, references[row.reference]) for row in rows if row.reference in references]


def _text(kind: Kind, row: Any, suggestion: Annotation) -> Text:
    facts = kind.read_facts(kind.upgrade(row.item.facts, row.item.schema))
    suggested = {
        **kind.upgrade(suggestion.draft, suggestion.schema),
        **(candidate(suggestion, row.picked) or {}),
    }
    return Text(
        pk=row.pk,
        item=row.item_id,
        author=row.author_id,
        arm=BLIND if row.slot.blind else SHOWN,
        fields=kind.fields(facts),
        suggested={name: value for name, value in suggested.items() if value not in BLANK},
        draft=kind.upgrade(row.draft, row.schema),
    )
