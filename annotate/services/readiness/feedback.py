"""After a calibration item: field by field what somebody wrote, what was expected, and why."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import F

from annotate.kinds.base import Kind
from annotate.models import Annotation, Comment, Item, Member, Precedent
from annotate.services.comparing import Compared, Version, compare
from annotate.services.readiness.outcomes import Outcome, outcome


@dataclass(frozen=True)
class Row:
    """verdict: alike | other, "" for a field that is not judged. why: what leads and reviewers say about it."""

    compared: Compared
    verdict: str
    why: Sequence[str] = ()

    @property
    def yours(self) -> str:
        return self.compared.steps[0].text

    @property
    def expected(self) -> str:
        return self.compared.steps[1].text


@dataclass(frozen=True)
class Feedback:
    rows: Sequence[Row]
    outcome: Outcome
    why: Sequence[str] = field(default_factory=list)  # about the whole item


def feedback(annotation: Annotation, member: Member) -> Feedback:
    """annotation: handed in, with its item and the item's base, which is there."""
    item, kind = annotation.item, member.project.kind
    assert item.base is not None
    answer_outcome, why = outcome(annotation, member.project), _said_about(item, member)
    facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
    versions = [_version(kind, annotation), _version(kind, item.base)]
    rows = [
        Row(compared, _verdict(compared, answer_outcome), why[compared.field.name])
        for compared in compare(kind, kind.fields(facts), versions)
        if not compared.blank
    ]
    general = [item.base.note] if item.base.note else []
    # Those with something to learn from first.
    rows.sort(key=lambda row: row.verdict != "other")
    return Feedback(rows, answer_outcome, general + why[""])


def _version(kind: Kind, annotation: Annotation) -> Version:
    return Version(kind.upgrade(annotation.draft, annotation.schema), "")


def _verdict(compared: Compared, answer_outcome: Outcome) -> str:
    """Where the whole answer counts as another one, fields that say the same are shown as such by saying nothing."""
    if compared.field.name not in answer_outcome.fields:
        return ""
    if compared.field.name not in answer_outcome.wrong:
        return "alike"
    return "other" if compared.changed else ""


def _said_about(item: Item, member: Member) -> dict[str, list[str]]:
    """field -> comments of those who lead or review, and rulings, on this very item."""
    remarks_by_field: dict[str, list[str]] = defaultdict(list)
    comments = Comment.objects.threads().filter(
        item_id=item.pk,
        author__memberships__project_id=F("item__project_id"),
        author__memberships__role__in=[Member.Role.LEAD, Member.Role.REVIEWER],
    )
    for comment in comments.exclude(author=member.user).order_by("pk"):
        remarks_by_field[comment.field.partition("[")[0]].append(comment.text)
    for ruling in Precedent.objects.filter(item_id=item.pk).exclude(ruling="").order_by("pk"):
        remarks_by_field[ruling.field].append(ruling.ruling)
    return remarks_by_field
