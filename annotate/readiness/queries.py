"""Queries of readiness: feedback on a calibration item, and the leads' view of people and checks.

Feedback shows for each field the person's answer, the expected one, and the reasons.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Count, Exists, F, OuterRef

from annotate import hidden_checks
from annotate.items.compare import FieldVersions, Version, compare
from annotate.kinds.contract import Kind
from annotate.models import Annotation, Comment, Item, Member, Precedent, Project, Readiness, Slot
from annotate.models.people import MemberQuerySet
from annotate.readiness import calibration, checks
from annotate.readiness.calibration import CalibrationStanding, CheckOutcome, CheckTally, outcome, tally
from annotate.readiness.checks import PURPOSES


@dataclass(frozen=True)
class FeedbackRow:
    """verdict: alike | other, "" for a field that is not judged. why: what leads and reviewers say about it."""

    compared: FieldVersions
    verdict: str
    why: Sequence[str] = ()

    @property
    def yours(self) -> str:
        return self.compared.steps[0].text

    @property
    def expected(self) -> str:
        return self.compared.steps[1].text


@dataclass(frozen=True)
class CalibrationFeedback:
    rows: Sequence[FeedbackRow]
    outcome: CheckOutcome
    why: Sequence[str] = field(default_factory=list)  # about the whole item


def feedback(annotation: Annotation, member: Member) -> CalibrationFeedback:
    """annotation: submitted, with its item and the item's base, which must exist."""
    item, kind = annotation.item, member.project.kind
    assert item.base is not None
    answer_outcome, why = outcome(annotation, member.project), _said_about(item, member)
    facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
    versions = [_version(kind, annotation), _version(kind, item.base)]
    rows = [
        FeedbackRow(compared, _verdict(compared, answer_outcome), why[compared.field.name])
        for compared in compare(kind, kind.fields(facts), versions)
        if not compared.blank
    ]
    general = [item.base.note] if item.base.note else []
    # Fields that differ come first.
    rows.sort(key=lambda row: row.verdict != "other")
    return CalibrationFeedback(rows, answer_outcome, general + why[""])


def _version(kind: Kind, annotation: Annotation) -> Version:
    return Version(kind.upgrade(annotation.draft, annotation.schema), "")


def _verdict(compared: FieldVersions, answer_outcome: CheckOutcome) -> str:
    """Where the whole answer counts as different, a field with an equal value gets no verdict."""
    if compared.field.name not in answer_outcome.fields:
        return ""
    if compared.field.name not in answer_outcome.wrong:
        return "alike"
    return "other" if compared.changed else ""


def _said_about(item: Item, member: Member) -> dict[str, list[str]]:
    """field -> comments by leads and reviewers, and rulings, on this item."""
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


# The leads' view: who is ready, and the results of everybody's checks. The number of queries is fixed.


FEW_CHECKS = 20


@dataclass(frozen=True)
class MemberReadiness:
    """state: as in CalibrationStanding, or "" where no calibration is required; checks: of the last `window`."""

    member: Member
    standing: CalibrationStanding | None
    checks: CheckTally
    below: bool

    @property
    def state(self) -> str:
        return self.standing.state if self.standing else ""


@dataclass(frozen=True)
class Pool:
    """The checks to hand out. unlike: checks that people could recognise, because only work has a draft."""

    groups: Sequence[tuple[str, int]]
    counts: Mapping[str, int]
    unlike: int

    @property
    def checks(self) -> int:
        return sum(self.counts.get(purpose, 0) for purpose in PURPOSES)


def working_members(project: Project) -> MemberQuerySet:
    """Annotators and reviewers, in the order in which they joined; nothing is required of leads."""
    working = project.members.who_can(Member.Role.ANNOTATOR, Member.Role.REVIEWER)
    return working.select_related("user").order_by("joined_at", "pk")


def people(project: Project, members: Sequence[Member]) -> list[MemberReadiness]:
    """The readiness of these members of the project, in their order."""
    readiness = hidden_checks.requirements_of(project) or Readiness(project=project)
    standing_by_member = standings(project, members, readiness)
    answers_by_user = checks.recent(project, members, readiness.window)
    persons = []
    for member in members:
        counted = tally(answers_by_user.get(member.user_id, []), project)
        below = bool(readiness.floor) and counted.checks > 0 and not counted.reaches(readiness.floor)
        persons.append(MemberReadiness(member, standing_by_member.get(member.pk), counted, below))
    return persons


def standings(project: Project, members: Sequence[Member], readiness: Readiness) -> dict[int, CalibrationStanding]:
    """member -> progress in the calibration under these requirements, stored or not; empty if they ask for none."""
    if not readiness.calibration_each:
        return {}
    slots = hidden_checks.own_slots(project).filter(item__purpose=Item.Purpose.CALIBRATION)
    slots_by_user: dict[int, list[tuple[int, str, int]]] = defaultdict(list)
    for user, round_, state, pk in slots.values_list("reserved_for", "round", "state", "pk"):
        slots_by_user[user].append((round_, state, pk))
    submitted_slots = [
        pk for rows in slots_by_user.values() for _round, state, pk in rows if state == Slot.State.SUBMITTED
    ]
    answers = Annotation.objects.filter(slot__in=submitted_slots, submitted_at__isnull=False).select_related(
        "item__base"
    )
    answered = {answer.slot_id: answer for answer in answers}
    return {
        member.pk: calibration.standing_of(
            readiness,
            slots_by_user[member.user_id],
            is_in=member.calibrated_at is not None,
            tally_of=lambda pks: tally([answered[pk] for pk in pks if pk in answered], project),
        )
        for member in members
    }


def pool(project: Project) -> Pool:
    items = Item.objects.filter(project=project, state=Item.State.ACCEPTED, base__isnull=False)
    aside = items.exclude(purpose=Item.Purpose.WORK)
    rows = aside.order_by().values_list("purpose", "group").annotate(n=Count("pk"))
    counts: Counter[str] = Counter()
    groups: Counter[str] = Counter()
    for purpose, group, n in rows:
        counts[purpose] += n
        if purpose == Item.Purpose.CALIBRATION:
            groups[group] += n
    return Pool(sorted(groups.items()), counts, _unlike(project))


def _unlike(project: Project) -> int:
    """Checks without a model's draft, where work that waits has one."""
    drafted = Exists(Annotation.objects.filter(item=OuterRef("pk")).exclude(model=""))
    open_items = Item.objects.counted().undecided().filter(project=project)
    if not open_items.filter(drafted).exists():
        return 0
    return Item.objects.filter(~drafted, project=project, purpose__in=PURPOSES).count()
